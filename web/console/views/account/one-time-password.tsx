import { useState } from 'preact/hooks'
import { useCommon } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { type ActionContext, endedLogins } from './action.ts'

/** Sets a password that works once, and shows it until the dialog is closed. */
export function OneTimePassword({ context }: { readonly context: ActionContext }) {
  const common = useCommon()
  const [password, setPassword] = useState<string | null>(null)
  const { shown, t, reload } = context
  const { username } = shown.account.data

  async function set(): Promise<void> {
    const isConfirmed = await confirmed({
      title: t.oneTimeTitle(username),
      effects: [endedLogins(context), ...t.oneTimeEffects],
      action: t.oneTime,
      isDangerous: true,
    })
    if (!isConfirmed) return
    const params = { path: { username } }
    const set = await dataOf(api.POST('/api/admin/accounts/{username}/password', { params }))
    setPassword(set.password)
  }
  function close(): void {
    setPassword(null)
    reload()
  }
  return (
    <>
      <ActionButton kind="quiet" isSmall onClick={set}>
        {t.oneTime}
      </ActionButton>
      {password !== null && (
        <Dialog title={t.oneTimeShown(username)} onClose={close}>
          <p class="secret">{password}</p>
          <p>{t.oneTimeHint}</p>
          <div class="actions">
            {window.isSecureContext && (
              <ActionButton onClick={() => navigator.clipboard.writeText(password)}>
                {common.copy}
              </ActionButton>
            )}
            <button type="button" class="quiet" onClick={close}>
              {t.done}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
