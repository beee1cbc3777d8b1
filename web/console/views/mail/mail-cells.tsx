import type { components } from '../../api/openapi.d.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { Mark, type Tone } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { mailTexts } from './texts.ts'

export type Mail = components['schemas']['Mail']

/** For whom it is; the address is wiped as soon as the mail has ended. */
export function Recipient({ of: { username, address } }: { readonly of: Mail }) {
  const t = mailTexts.use()
  if (username !== null) {
    return (
      <>
        <AccountLink name={username} />
        {address !== null && (
          <>
            <br />
            <bdi class="muted">{address}</bdi>
          </>
        )}
      </>
    )
  }
  return address === null ? <span class="muted keep">{t.wiped}</span> : <bdi>{address}</bdi>
}

const tones = {
  waiting: 'warning',
  sending: 'warning',
  sent: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'plain',
  dropped: 'plain',
} as const satisfies Record<Mail['state'], Tone>

/** A state whose meaning is not plain says it, with the attempts. */
export function State({ of: { state, attempts } }: { readonly of: Mail }) {
  const t = mailTexts.use()
  const hint = t.stateHints[state]
  return (
    <>
      <Mark tone={tones[state]}>{t.states[state]}</Mark>
      {attempts > 1 && <span class="keep"> {t.attempts(attempts)}</span>}
      {hint !== '' && <div class="hint">{hint}</div>}
    </>
  )
}

/** When it is tried again, or when it ended. */
export function Next({ of: { due_at, finished_at, expires_at } }: { readonly of: Mail }) {
  const t = mailTexts.use()
  if (finished_at !== null) return <Time at={finished_at} />
  return (
    <>
      {due_at !== null && <Time at={due_at} />}
      <br />
      <span class="muted">
        {t.until} <Time at={expires_at} />
      </span>
    </>
  )
}
