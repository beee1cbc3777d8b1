import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { accountIn } from '../accounts/accounts.ts'
import { adminAction } from '../accounts/events.ts'
import type { ForgottenOfAddress, LimitState } from '../throttle/overview.ts'

/** Shared by throttle-routes.ts and throttle-commands.ts. */
export type ThrottledDeps = Pick<Needs, 'accounts' | 'clients' | 'events' | 'lock' | 'throttle'>

/** Null if the name is unknown. */
export interface NamedState extends LimitState {
  readonly username: string | null
  /** Undefined if not a client limit. */
  readonly client: string | null | undefined
}

/**
 * Limits store a digest of the tried name, because users type passwords into the wrong field. Only
 * names of accounts with failures and of clients are resolved.
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
  const isOfClient = states.some(({ clientDigest }) => clientDigest !== null)
  const ids = isOfClient ? (await clients.list()).clients.map(({ id }) => id) : []
  const clientOf = (digest: string) => ids.find((id) => throttle.digestOf(id) === digest) ?? null
  return Promise.all(
    states.map(async (state) => ({
      ...state,
      username: await nameOf(state),
      client: state.clientDigest === null ? undefined : clientOf(state.clientDigest),
    })),
  )
}

export interface Cleared {
  /** Null if no account has the name. */
  readonly userId: number | null
  /** Failed attempts that were counted. */
  readonly attempts: number
}

/**
 * Clears attempts and lockout of a username, and attempts of a client. @param clientId as written:
 * client ids have no canonical form
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

/** Clears limits that count only the address. @param address from `parseThrottledAddress` */
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
