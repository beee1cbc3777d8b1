import type { FactValue, RefusalReason } from '../../core/errors.ts'

/** For `nbf` and `iat`: clocks of nodes differ. Expiry has no tolerance. */
export const toleranceSeconds = 5

export interface ClaimsToJudge {
  readonly exp: number
  readonly iat: number
  readonly nbf: number
  readonly sub?: unknown
}

/** Whether a token is valid at `now`, in epoch milliseconds. RFC 7519 section 4.1.4 to 4.1.6. */
export function isWithinLifetime({ exp, nbf, iat }: ClaimsToJudge, now: number): boolean {
  const latest = now + toleranceSeconds * 1000
  return now < exp * 1000 && nbf * 1000 <= latest && iat * 1000 <= latest
}

/** The time claim that refuses a token at `now`, in epoch milliseconds; null if none does. */
export function faultOfTimes(
  { exp, iat, nbf, sub }: ClaimsToJudge,
  now: number,
): RefusalReason | null {
  if (isWithinLifetime({ exp, iat, nbf }, now)) return null
  const user_id = userIdIn(sub)
  if (now >= exp * 1000) {
    const expired_seconds_ago = Math.floor(now / 1000 - exp)
    return { code: 'claim_exp', facts: { user_id, exp_at: exp * 1000, expired_seconds_ago } }
  }
  const valid_in_seconds = (at: number) => Math.ceil(at - toleranceSeconds - now / 1000)
  if (iat * 1000 > now + toleranceSeconds * 1000) {
    const facts = { user_id, iat_at: iat * 1000, valid_in_seconds: valid_in_seconds(iat) }
    return { code: 'claim_iat', facts }
  }
  const facts = { user_id, nbf_at: nbf * 1000, valid_in_seconds: valid_in_seconds(nbf) }
  return { code: 'claim_nbf', facts }
}

export function malformedClaim(claim: string): RefusalReason {
  return { code: 'claim_malformed', facts: { claim } }
}

const maxShown = 256

/** Texts and lists of texts, shortened; null for anything else. */
export function shownClaim(value: unknown): FactValue {
  if (typeof value === 'string') return value.slice(0, maxShown)
  if (!Array.isArray(value)) return null
  return value.slice(0, 10).map((item) => String(item).slice(0, maxShown))
}

/** The user id in a `sub`; null for the subject of another issuer. */
export function userIdIn(subject: unknown): number | null {
  const isId = typeof subject === 'string' && /^[1-9][0-9]{0,15}$/.test(subject)
  return isId ? Number(subject) : null
}
