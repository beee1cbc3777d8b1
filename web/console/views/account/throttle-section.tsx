import { ActionButton } from '../../components/action-button.tsx'
import { Time } from '../../components/time.tsx'
import { clearThrottle } from './login-actions.ts'
import type { SectionProps } from './parts.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'

/** What stands against a login now: failures in a row, a lockout, counts by address. */
export function ThrottleSection(props: SectionProps) {
  const t = accountTexts.use()
  const { failed_logins, locked_until, limits } = props.shown.details
  const hasNone = failed_logins === 0 && locked_until === null && limits.length === 0
  return (
    <Section title={t.throttle}>
      {hasNone ? (
        <p class="muted">{t.noThrottle}</p>
      ) : (
        <>
          <p>
            {t.failures(failed_logins)}
            {locked_until !== null && (
              <>
                , {t.lockedUntil} <Time at={locked_until} />
              </>
            )}
          </p>
          {limits.length > 0 && (
            <ul>
              {limits.map(({ count, address, used, attempts, blocked_until }) => (
                <li key={`${count} ${address}`}>
                  {t.counts[count] ?? count}
                  {address !== null && ` (${address})`}: {t.usedOf(used, attempts)}
                  {blocked_until !== null && (
                    <>
                      , {t.blockedUntil} <Time at={blocked_until} />
                    </>
                  )}
                </li>
              ))}
            </ul>
          )}
          <ActionButton isSmall onClick={() => clearThrottle({ ...props, t })}>
            {t.clearThrottle}
          </ActionButton>
        </>
      )}
    </Section>
  )
}
