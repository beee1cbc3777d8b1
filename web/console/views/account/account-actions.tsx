import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { OneTimePassword } from '../../components/one-time-password.tsx'
import type { ActionContext } from './action.ts'
import { endedLogins } from './action.ts'
import { endSessions } from './login-actions.ts'
import { partsOf, type SectionProps } from './parts.ts'
import { disable, enable, lock, requireNewPassword, unlock } from './standing-actions.ts'
import { accountTexts } from './texts.ts'

interface Props extends SectionProps {
  /** Whether it is the account of the reader, who cannot lock himself out here. */
  readonly isOwn: boolean
}

/** What can be done with the account; each action says first what it will do. */
export function AccountActions({ shown, reload, isOwn }: Props) {
  const t = accountTexts.use()
  const { locked, active } = shown.account.data
  const context: ActionContext = { shown, t, reload }
  return (
    <section class="account-actions" aria-label={t.actions}>
      <div class="actions">
        {!isOwn &&
          (locked ? (
            <ActionButton isSmall onClick={() => unlock(context)}>
              {t.unlock}
            </ActionButton>
          ) : (
            <ActionButton kind="danger" isSmall onClick={() => lock(context)}>
              {t.lock}
            </ActionButton>
          ))}
        <ActionButton kind="quiet" isSmall onClick={() => endSessions(context)}>
          {t.endSessions}
        </ActionButton>
        {!isOwn && (
          <>
            {partsOf('AccountAction').map((Action, index) => (
              <Action key={index} context={context} />
            ))}
            <SetOneTimePassword context={context} />
            <ActionButton kind="quiet" isSmall onClick={() => requireNewPassword(context)}>
              {t.mustChange}
            </ActionButton>
            <ActionButton
              kind={active ? 'danger' : 'quiet'}
              isSmall
              onClick={() => (active ? disable(context) : enable(context))}
            >
              {active ? t.disable : t.enable}
            </ActionButton>
          </>
        )}
      </div>
    </section>
  )
}

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
