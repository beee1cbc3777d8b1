import type { RefusalReason } from '../../core/errors.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { LimitState, ThrottleOverview } from '../../modules/throttle/overview.ts'
import { type Check, type JudgedRoute, type JudgeRouteDeps, judgeRoute } from './judge-route.ts'

export type JudgeLoginDeps = JudgeRouteDeps & {
  readonly throttle: Pick<ThrottleOverview, 'ofAccount'>
}

/**
 * Same result as POST /login with the right password, with the limits of the username from any
 * address. Read-only.
 */
export async function judgeLogin(deps: JudgeLoginDeps, account: Account): Promise<JudgedRoute> {
  const judged = await judgeRoute(deps, account, { method: 'POST', path: '/login' })
  const limits = (await deps.throttle.ofAccount(account)).flatMap(checkOf)
  const isRefused = limits.length > 0
  return {
    ...judged,
    checks: [...judged.checks, ...limits],
    error: judged.error ?? (isRefused ? 'tooManyLoginAttempts' : null),
  }
}

/** A captcha can be solved; the address limit replaces a device limit. */
const admitsLogins: readonly LimitState['count'][] = ['captcha', 'device']

/** Only limits that refuse now. */
function checkOf(limit: LimitState): Check[] {
  const { address, blockedUntil } = limit
  if (blockedUntil === null || admitsLogins.includes(limit.count)) return []
  const asks = {
    en: `fewer failed tries from ${address ?? 'any address'}`,
    de: `weniger Fehlversuche von ${address ?? 'allen Adressen'}`,
  }
  return [{ asks, reason: reasonOf(limit, blockedUntil) }]
}

function reasonOf(limit: LimitState, frees_at: number): RefusalReason {
  const { attempts, used, userId: user_id, windowSeconds: window_seconds } = limit
  const facts = { used, attempts, window_seconds, frees_at }
  return user_id === null
    ? { code: 'limit_username_address', facts }
    : { code: 'limit_second_factor', facts: { ...facts, user_id } }
}
