import { throttledAddress } from '../../core/addresses/address.ts'
import { parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import { batchesOf } from '../../core/database/batches.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { offsetOf, type Page } from '../../core/http/lists/paging.ts'
import type { Username } from '../../core/lib/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import {
  createThrottleKeys,
  deviceKey,
  type LimitKey,
  type LimitName,
  nameOfEmail,
  otherSpellings,
  readThrottleKey,
  secondFactorKey,
  takenUsernamesKeys,
} from './keys.ts'
import { pendingLapses, quotaOf } from './limits.ts'
import { type CountedAttempt, type ThrottleKey, throttleStore } from './store.ts'
import {
  blockedUntil,
  byTime,
  isPending,
  pendingMs,
  type ThrottleDeps,
  withoutLapsed,
} from './throttle.ts'

/** The state of all rate limits, for an administrator. */
export interface ThrottleOverview {
  /**
   * The limits that count an attempt, last used first. `total` and pages cover the last
   * `maxListedAttempts` attempts, so that the cost of a page is bounded.
   */
  page(page: Page): Promise<{ readonly total: number; readonly data: LimitState[] }>
  /** All limits that count an attempt, last used first, in batches. */
  all(size?: number): AsyncIterable<LimitState[]>
  /** At most 100 limits of an account, last used first. */
  ofAccount(account: AccountName): Promise<LimitState[]>
  /** The digest of a username or client id in a `LimitState`. */
  digestOf(name: string): string
  /** The number of blocked keys. */
  blocked(count: 'login' | 'address'): Promise<number>
  /** The limits of an address alone. */
  ofAddress(address: string): Promise<LimitState[]>
  /**
   * Deletes failed attempts of a username and of a client over all addresses, and wrong codes of
   * the user; pending attempts stay. Returns the count.
   */
  forget(
    trx: DatabaseOrTransaction,
    account: AccountName | { readonly username: Username; readonly userId: null },
    clientId: string,
  ): Promise<number>
  /**
   * Deletes failed attempts of the limits of an address alone (IPv6: of its /64 network). Attempts
   * of a username or confirmation at the address stay, and pending attempts too.
   */
  forgetAddress(trx: DatabaseOrTransaction, address: string): Promise<ForgottenOfAddress>
}

/** Counts of deleted attempts. */
export interface ForgottenOfAddress {
  /** IPv4, or the /64 network of IPv6. */
  readonly address: string
  readonly logins: number
  /** Wrong secrets of clients. */
  readonly clients: number
  /** Wrong passkeys. */
  readonly passkeys: number
  /** Refusals because a username is taken. */
  readonly usernames: number
}

export interface AccountName {
  readonly userId: number
  readonly username: Username
  /** The verified address, which attempts on the pages may use. */
  readonly email: string | null
}

export interface LimitState extends LimitKey {
  /** Failed and pending attempts. */
  readonly used: number
  readonly pending: number
  /** The quota; 0: no limit. */
  readonly attempts: number
  readonly windowSeconds: number
  /** Epoch milliseconds; null while attempts are admitted. */
  readonly blockedUntil: number | null
}

export interface ThrottleOverviewDeps extends ThrottleDeps {
  readonly config: Pick<Config, 'login'>
  readonly keys: Pick<KeySet, 'dataKey'>
}

const maxOfAccount = 100
const keysAtOnce = 20
export const maxListedAttempts = 2000

export function createThrottleOverview({
  config,
  db,
  clock,
  keys,
}: ThrottleOverviewDeps): ThrottleOverview {
  const store = throttleStore(db)
  const throttleKeys = createThrottleKeys(keys)

  return {
    digestOf: throttleKeys.digestOf,

    async page(page) {
      const now = clock.now()
      const total = await store.countKeys(now, maxListedAttempts)
      const offset = offsetOf(page, total)
      const limit = Math.min(page.limit, total - offset)
      return { total, data: await statesOf(await store.keys(now, offset, limit)) }
    },

    async *all(size) {
      const now = clock.now()
      const batches = batchesOf({
        from: Number.MAX_SAFE_INTEGER,
        size,
        read: (before, limit) => store.keysBefore(now, before, limit),
        placeOf: ({ id }) => id,
      })
      for await (const keys of batches) yield statesOf(keys)
    },

    async ofAccount(account) {
      return statesOf(await store.keysOf(namesOf(account), clock.now(), maxOfAccount))
    },

    async blocked(count) {
      const { attempts, windowSeconds } = quotaOf(config, count)
      if (attempts === 0) return 0
      const now = clock.now()
      const since = now - windowSeconds * 1000
      return store.countExceeded(count, { attempts, since, pendingSince: now - pendingMs, now })
    },

    async ofAddress(client) {
      const states = await statesOf(keysOfAddress(throttledAddress(client)))
      return states.filter(({ used, pending }) => used + pending > 0)
    },

    async forget(trx, account, clientId) {
      const names = [throttleKeys.client(clientId, '').username, ...namesOf(account)]
      return (await throttleStore(trx).removeFailedOf(names, failedNow())).length
    },

    async forgetAddress(trx, client) {
      const address = throttledAddress(client)
      const names = keysOfAddress(address).map(({ username }) => username)
      const removed = await throttleStore(trx).removeFailedOf(names, { ...failedNow(), address })
      const of = (limit: LimitName) =>
        removed.filter((username) => readThrottleKey({ username, address }).count === limit).length
      return {
        address,
        logins: of('address'),
        clients: of('client_address'),
        passkeys: of('passkey_address'),
        usernames: of('taken_usernames'),
      }
    },
  }

  function failedNow() {
    const now = clock.now()
    return { now, pendingSince: now - pendingMs }
  }

  function keysOfAddress(address: string): ThrottleKey[] {
    return [
      throttleKeys.address(address),
      throttleKeys.clientAddress(address),
      throttleKeys.passkeyAddress(address),
      takenUsernamesKeys('', address).client,
    ]
  }

  function namesOf(account: Parameters<ThrottleOverview['forget']>[1]): string[] {
    const { username, userId } = account
    // The pages count a username that looks like an email address as an email address.
    const addresses = [username, (userId !== null && account.email) || ''].map(parseEmail)
    const spellings = [
      username,
      ...addresses.flatMap((email) => (email ? nameOfEmail(email.key) : [])),
    ]
    const ofUser = userId === null ? [] : [secondFactorKey(userId), deviceKey(userId, '')]
    const keys = [
      ...spellings.flatMap((name) => Object.values(throttleKeys.named(name, ''))),
      throttleKeys.byEmail(username, ''),
      ...ofUser,
    ]
    return keys.map((key) => key.username)
  }

  async function statesOf(keys: readonly ThrottleKey[]): Promise<LimitState[]> {
    const now = clock.now()
    const limits = keys.map((key) => {
      const limitKey = readThrottleKey(key)
      const quota = quotaOf(config, limitKey.count)
      const since = now - quota.windowSeconds * 1000
      return { limitKey, quota, window: { key, since }, others: otherSpellings(key) }
    })
    // Few statements: one statement per key dominates the cost.
    const inWindows: CountedAttempt[][] = []
    for (let from = 0; from < limits.length; from += keysAtOnce) {
      const some = limits.slice(from, from + keysAtOnce)
      const windows = some.map(({ window, others }) => [
        window,
        ...others.map((key) => ({ key, since: window.since })),
      ])
      const attempts = (await store.attempts(windows.flat())).values()
      for (const of of windows) {
        const all = of.flatMap(() => attempts.next().value ?? [])
        inWindows.push(all.sort(byTime))
      }
    }
    return limits.map(({ limitKey, quota }, index) => {
      const lapsing = { pendingLapses: pendingLapses(limitKey.count) }
      const counted = withoutLapsed(inWindows[index] ?? [], lapsing, now)
      const pending = counted.filter((attempt) => isPending(attempt, now)).length
      const isExceeded = quota.attempts > 0 && counted.length >= quota.attempts
      return {
        ...limitKey,
        used: counted.length - pending,
        pending,
        attempts: quota.attempts,
        windowSeconds: quota.windowSeconds,
        blockedUntil: isExceeded ? blockedUntil(quota, counted, now) : null,
      }
    })
  }
}
