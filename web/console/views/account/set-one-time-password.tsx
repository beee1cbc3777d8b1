import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { OneTimePassword } from '../../components/one-time-password.tsx'
import { type ActionContext, endedLogins } from './action.ts'

/** Sets a password that works once, and shows it until the dialog is closed. */
export function SetOneTimePassword({ context }: { readonly context: ActionContext }) {
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
        <OneTimePassword username={username} password={password} onClose={close} />
      )}
    </>
  )
}
