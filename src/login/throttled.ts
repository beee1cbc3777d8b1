import type { Accounts } from '../accounts/accounts.ts'
import { adminAction } from '../accounts/events.ts'
import type { AutomaticLock } from '../accounts/lock.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Events } from '../events/events.ts'
import type { Username } from '../kernel/username.ts'
import type { LimitState, ThrottleOverview } from '../throttle/overview.ts'

/** What an administrator, over HTTP or at the command line, sees and clears of the limits. */
export interface ThrottledDeps {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly events: Events
  readonly lock: AutomaticLock
  readonly throttle: ThrottleOverview
}

/** The state of a limit, with the username that it counts if that is known. */
export interface NamedState extends LimitState {
  readonly username: string | null
}

/**
 * Names the usernames of limits. The limits store only a digest of each tried username, since users
 * type passwords into the wrong field: one is named only if an account with failed logins has it.
 */
export async function nameLimits(
  states: readonly LimitState[],
  { accounts, lock, throttle }: Pick<ThrottledDeps, 'accounts' | 'lock' | 'throttle'>,
): Promise<NamedState[]> {
  const failingNames = await lock.failingNames()
  const names = new Map(failingNames.map((name) => [throttle.digestOf(name), name]))
  const nameOf = async ({ usernameDigest, userId }: LimitState) =>
    userId !== null
      ? ((await accounts.byUserId(userId))?.username ?? null)
      : (names.get(usernameDigest ?? '') ?? null)
  return Promise.all(states.map(async (state) => ({ ...state, username: await nameOf(state) })))
}

/**
 * Forgets the failed attempts of a username and its lockout, inside a transaction; answers the
 * user's id, or null if no account has the name.
 */
export async function clearThrottle(
  trx: DatabaseOrTransaction,
  username: Username,
  { events, lock, throttle }: Pick<ThrottledDeps, 'events' | 'lock' | 'throttle'>,
): Promise<number | null> {
  const found = await lock.lift(trx, username)
  await throttle.forget(trx, username, found)
  await events.record(trx, adminAction, { user_id: found, what: 'throttle_cleared' })
  return found
}
