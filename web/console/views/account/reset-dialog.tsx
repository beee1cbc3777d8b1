import { useState } from 'preact/hooks'
import { useCommon, useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { wordsOf } from '../../problem-words.ts'
import type { ActionContext } from './action.ts'

interface Props {
  readonly context: ActionContext
  readonly onClose: () => void
}

/** Mails a reset to the verified address, or to one that the administrator knows to be the owner's. */
export function ResetDialog({ context, onClose }: Props) {
  const common = useCommon()
  const language = useLanguage()
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { shown, t, frame, reload } = context
  const { username } = shown.account.data
  const { email } = shown.details.email

  async function send(): Promise<void> {
    setBusy(true)
    try {
      const { expires_at } = await dataOf(
        api.POST('/api/admin/accounts/{username}/reset', {
          params: { path: { username } },
          ...(email === null && { body: { email: typed } }),
        }),
      )
      const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
      toast(t.resetSent(email ?? typed, format.format(new Date(expires_at))))
      onClose()
      reload()
    } catch (error) {
      setProblem(wordsOf(error, frame))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={t.sendResetTitle(username)} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {problem !== '' && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
        {email === null ? (
          <>
            <label for="reset-email">{t.resetNeedsAddress}</label>
            <p class="hint" id="reset-email-hint">
              {t.resetAddressHint}
            </p>
            <input
              id="reset-email"
              type="email"
              required
              autocomplete="off"
              aria-describedby="reset-email-hint"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </>
        ) : (
          <p>{t.resetTo(email)}</p>
        )}
        <p>{t.resetKeeps}</p>
        <div class="actions">
          <button type="submit" disabled={isBusy} aria-busy={isBusy}>
            {t.sendReset}
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            {common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
