import { ActionButton } from '../../components/action-button.tsx'
import type { ActionContext } from './action.ts'
import { endSessions } from './login-actions.ts'
import { partsOf, type SectionProps } from './parts.ts'
import { SetOneTimePassword } from './set-one-time-password.tsx'
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
