import { useState } from 'preact/hooks'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { readerLocale } from '../../reader-locale.ts'
import type { ActionContext } from '../account/action.ts'

/** Mails a reset to the verified address of an account. */
export async function sendReset(username: string): Promise<void> {
  const params = { path: { username } }
  await dataOf(api.POST('/api/admin/accounts/{username}/reset', { params, body: {} }))
}

/** Asks whether to mail a reset. */
export function AccountAction({ context }: { readonly context: ActionContext }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="quiet small" onClick={() => setOpen(true)}>
        {context.t.sendReset}
      </button>
      {isOpen && <ResetDialog context={context} onClose={() => setOpen(false)} />}
    </>
  )
}

interface Props {
  readonly context: ActionContext
  readonly onClose: () => void
}

/** Mails a reset to the verified address, or to one that the administrator knows to be the owner's. */
function ResetDialog({ context, onClose }: Props) {
  const language = useLanguage()
  const [typed, setTyped] = useState('')
  const { shown, t, reload } = context
  const { username } = shown.account.data
  const email = shown.details.email?.email ?? null

  async function send(): Promise<void> {
    const { expires_at } = await dataOf(
      api.POST('/api/admin/accounts/{username}/reset', {
        params: { path: { username } },
        ...(email === null && { body: { email: typed } }),
      }),
    )
    const format = new Intl.DateTimeFormat(readerLocale(language), {
      dateStyle: 'medium',
      timeStyle: 'short',
    })
    toast(t.resetSent(email ?? typed, format.format(new Date(expires_at))))
    onClose()
    reload()
  }
  return (
    <Dialog title={t.sendResetTitle(username)} onClose={onClose}>
      <ActionForm action={t.sendReset} cancel={onClose} onSubmit={send}>
        {(problemOf) => (
          <>
            {email === null ? (
              <TextField
                name="reset-email"
                label={t.resetNeedsAddress}
                hint={t.resetAddressHint}
                type="email"
                isRequired
                value={typed}
                onChange={setTyped}
                problem={problemOf('email')}
              />
            ) : (
              <p>{t.resetTo(email)}</p>
            )}
            <p>{t.resetKeeps}</p>
          </>
        )}
      </ActionForm>
    </Dialog>
  )
}
