import { Time } from '../../components/time.tsx'
import type { SectionProps } from '../account/account-page.tsx'
import { accountTexts } from '../account/texts.ts'

/** The invitation that the account came by. */
export function AccountInvitation({ shown }: SectionProps) {
  const t = accountTexts.use()
  return (
    <>
      {shown.details.invitations.map(({ id, accepted_at, created_at }) => (
        <p key={id}>
          {t.invited} <Time at={created_at} />
          {accepted_at !== null && (
            <>
              , {t.accepted} <Time at={accepted_at} />
            </>
          )}
        </p>
      ))}
    </>
  )
}
