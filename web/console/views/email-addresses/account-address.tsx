import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { SectionProps } from '../account/account-page.tsx'
import type { ActionContext } from '../account/action.ts'
import { accountTexts } from '../account/texts.ts'

/** The verified address of the account, and the address that waits for its proof. */
export function AccountAddress(props: SectionProps) {
  const t = accountTexts.use()
  const { email, ...rest } = props.shown.details.email
  const context = { ...props, t }
  return (
    <>
      {email === null ? <p class="muted">{t.noVerified}</p> : <UserText>{email}</UserText>}
      {rest.verified_at !== null && (
        <p class="muted">
          {t.verifiedSince} <Time at={rest.verified_at} />
        </p>
      )}
      {rest.pending && <p class="muted">{t.pending(rest.pending.email)}</p>}
      {rest.undeliverable_at !== null && (
        <p class="error">
          {t.undeliverable}: <UserText>{rest.undeliverable_reason ?? ''}</UserText>{' '}
          <Time at={rest.undeliverable_at} />
        </p>
      )}
      {email !== null && (
        <ActionButton kind="quiet" isSmall onClick={() => removeEmail(context, email)}>
          {t.removeEmail}
        </ActionButton>
      )}
    </>
  )
}

async function removeEmail({ shown, t, reload }: ActionContext, address: string): Promise<void> {
  const isConfirmed = await confirmed({
    title: t.removeEmailTitle(address),
    effects: t.removeEmailEffects,
    action: t.removeEmail,
    isDangerous: true,
  })
  if (!isConfirmed) return
  const params = { path: { username: shown.account.data.username } }
  await dataOf(api.DELETE('/api/admin/accounts/{username}/email', { params }))
  toast(t.emailRemoved)
  reload()
}
