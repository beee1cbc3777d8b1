import type { FunctionComponent } from 'preact'
import { Time } from '../../components/time.tsx'
import type { SectionProps } from '../account/account-page.tsx'
import { Section } from '../account/section.tsx'
import { accountTexts } from '../account/texts.ts'

/** What other views add: `AccountInvitation` in their `account-invitation.tsx`. */
const invitations = Object.values(
  import.meta.glob<FunctionComponent<SectionProps>>('../*/account-invitation.tsx', {
    eager: true,
    import: 'AccountInvitation',
  }),
)

/** What was mailed to the account, and the invitation that it came by. */
export function AccountSection(props: SectionProps) {
  const { shown } = props
  const t = accountTexts.use()
  const { username } = shown.account.data
  const { mails } = shown.details
  const all = <a href={`/admin/mail?${new URLSearchParams({ username })}`}>{t.mailsAll}</a>
  return (
    <Section title={t.mails} aside={all}>
      {invitations.map((Invitation) => (
        <Invitation key={Invitation.name} {...props} />
      ))}
      {mails.length === 0 && <p class="muted">{t.noMails}</p>}
      <ul class="plain">
        {mails.map(({ id, message, state, created_at, response }) => (
          <li key={id}>
            <p>
              {t.messages[message] ?? message}: {t.mailStates[state] ?? state}
            </p>
            <p class="muted">
              <Time at={created_at} /> {state === 'failed' && response}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
