import { Time } from '../../components/time.tsx'
import type { SectionProps } from '../account/parts.ts'
import { Section } from '../account/section.tsx'
import { accountTexts } from '../account/texts.ts'

/** What was mailed to the account, and the invitation that it came by. */
export function AccountSection({ shown }: SectionProps) {
  const t = accountTexts.use()
  const { username } = shown.account.data
  const { mails, invitations } = shown.details
  const all = <a href={`/admin/mail?${new URLSearchParams({ username })}`}>{t.mailsAll}</a>
  return (
    <Section title={t.mails} aside={all}>
      {/* Absent in a service without sign-up. */}
      {(invitations ?? []).map(({ id, accepted_at, created_at }) => (
        <p key={id}>
          {t.invited} <Time at={created_at} />
          {accepted_at !== null && (
            <>
              , {t.accepted} <Time at={accepted_at} />
            </>
          )}
        </p>
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
