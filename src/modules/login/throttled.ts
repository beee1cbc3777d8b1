import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { accountIn } from '../accounts/accounts.ts'
import { adminAction } from '../accounts/events.ts'
import type { ForgottenOfAddress, LimitState } from '../throttle/overview.ts'

/**
 * What an administrator sees and clears of the limits: over HTTP (throttle-routes.ts), or at the
 * command line (throttle-commands.ts).
 */
export type ThrottledDeps = Pick<Needs, 'accounts' | 'clients' | 'events' | 'lock' | 'throttle'>

/** The state of a limit, with the username or the client that it counts, null if that is unknown. */
export interface NamedState extends LimitState {
  readonly username: string | null
  /** Undefined if this is no limit of clients. */
  readonly client: string | null | undefined
}

/**
 * Adds the usernames and the ids of clients to the states of limits. A limit stores a digest of the
 * name that was tried, since users type passwords into the wrong field. So a username is found only
 * if an account with failed logins has it, and an id only if a client of CLIENTS_FILE has it.
 */
export async function nameLimits(
  states: readonly LimitState[],
  { accounts, clients, lock, throttle }: Omit<ThrottledDeps, 'events'>,
): Promise<NamedState[]> {
  const failingNames = await lock.failingNames()
  const names = new Map(failingNames.map((name) => [throttle.digestOf(name), name]))
  const nameOf = async ({ usernameDigest, userId }: LimitState) =>
    userId !== null
      ? ((await accounts.byUserId(userId))?.username ?? null)
      : (names.get(usernameDigest ?? '') ?? null)
  const clientOf = (digest: string) =>
    clients.ids().find((id) => throttle.digestOf(id) === digest) ?? null
  return Promise.all(
    states.map(async (state) => ({
      ...state,
      username: await nameOf(state),
      client: state.clientDigest === null ? undefined : clientOf(state.clientDigest),
    })),
  )
}

/** What was forgotten of a username. */
export interface Cleared {
  /** Null if no account has the name. */
  readonly userId: number | null
  /** How many failed attempts the limits of the name had counted. */
  readonly attempts: number
}

/**
 * Forgets the failed attempts of a username and its lockout, and those of a client, inside a
 * transaction.
 * @param clientId the name as it was written: an id of a client has no canonical form
 */
export async function clearThrottle(
  trx: DatabaseOrTransaction,
  username: Username,
  { events, lock, throttle }: Pick<ThrottledDeps, 'events' | 'lock' | 'throttle'>,
  clientId: string,
): Promise<Cleared> {
  const userId = await lock.lift(trx, username)
  const account = userId === null ? null : await accountIn(trx, userId)
  const attempts = await throttle.forget(trx, account ?? { username, userId: null }, clientId)
  await events.emitInTransaction(trx, adminAction, { user_id: userId, what: 'throttle_cleared' })
  return { userId, attempts }
}

/**
 * Forgets the failed attempts that the limits of an address alone count, inside a transaction.
 * @param address as `parseThrottledAddress` answers it
 */
export async function clearAddress(
  trx: DatabaseOrTransaction,
  address: string,
  { events, throttle }: Pick<ThrottledDeps, 'events' | 'throttle'>,
): Promise<ForgottenOfAddress> {
  const forgotten = await throttle.forgetAddress(trx, address)
  const what = 'throttle_address_cleared'
  await events.emitInTransaction(trx, adminAction, {
    user_id: null,
    what,
    network: forgotten.address,
  })
  return forgotten
}
