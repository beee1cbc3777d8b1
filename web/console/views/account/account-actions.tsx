import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ActionButton } from '../../components/action-button.tsx'
import { frameTexts } from '../../frame-texts.ts'
import type { SectionProps } from './account-page.tsx'
import type { ActionContext } from './action.ts'
import { deleteAccount, deleteUser } from './delete-actions.ts'
import { endSessions } from './login-actions.ts'
import { OneTimePassword } from './one-time-password.tsx'
import { ResetDialog } from './reset-dialog.tsx'
import { disable, enable, lock, requireNewPassword, unlock } from './standing-actions.ts'
import { accountTexts } from './texts.ts'

interface Props extends SectionProps {
  /** Whether it is the account of the reader, who cannot lock himself out here. */
  readonly isOwn: boolean
}

/** What can be done with the account; each action says first what it will do. */
export function AccountActions({ shown, reload, isOwn }: Props) {
  const t = accountTexts.use()
  const { route } = useLocation()
  const [asksForReset, setAsksForReset] = useState(false)
  const { locked, active } = shown.account.data
  const context: ActionContext = { shown, t, frame: frameTexts.use(), reload }
  const leaving = (remove: (context: ActionContext) => Promise<boolean>) => async () => {
    if (await remove(context)) route('/admin/accounts')
  }
  return (
    <section class="account-actions" aria-label={t.actions}>
      <div class="actions">
        {!isOwn &&
          (locked ? (
            <ActionButton onClick={() => unlock(context)}>{t.unlock}</ActionButton>
          ) : (
            <ActionButton kind="danger" onClick={() => lock(context)}>
              {t.lock}
            </ActionButton>
          ))}
        <ActionButton kind="quiet" onClick={() => endSessions(context)}>
          {t.endSessions}
        </ActionButton>
        {!isOwn && (
          <>
            <button type="button" class="quiet" onClick={() => setAsksForReset(true)}>
              {t.sendReset}
            </button>
            <OneTimePassword context={context} />
            <ActionButton kind="quiet" onClick={() => requireNewPassword(context)}>
              {t.mustChange}
            </ActionButton>
            <ActionButton
              kind={active ? 'danger' : 'quiet'}
              onClick={() => (active ? disable(context) : enable(context))}
            >
              {active ? t.disable : t.enable}
            </ActionButton>
            <ActionButton kind="danger" onClick={leaving(deleteAccount)}>
              {t.deleteAccount}
            </ActionButton>
            <ActionButton kind="danger" onClick={leaving(deleteUser)}>
              {t.deleteUser}
            </ActionButton>
          </>
        )}
      </div>
      {asksForReset && <ResetDialog context={context} onClose={() => setAsksForReset(false)} />}
    </section>
  )
}
