import type { Config } from '../config/load.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import { offsetOf, type Page } from '../http/lists/paging.ts'
import type { Username } from '../kernel/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import { createThrottleKeys, type LimitKey, readThrottleKey, secondFactorKey } from './keys.ts'
import { pendingLapses, quotaOf } from './limits.ts'
import { type ThrottleKey, throttleStore } from './store.ts'
import { blockedUntil, isPending, pendingMs, type ThrottleDeps, withoutLapsed } from './throttle.ts'

/** The state of all rate limits, by the settings in force, for an administrator. */
export interface ThrottleOverview {
  /** The limits that count an attempt, the last used first. */
  page(page: Page): Promise<{ readonly total: number; readonly data: LimitState[] }>
  /**
   * The limits that count attempts for a username, and wrong codes of its user, the last used first;
   * at most 100.
   */
  of(username: Username, userId: number): Promise<LimitState[]>
  /** The digest that stands for a username, or for a client's id, in a `LimitState`. */
  digestOf(name: string): string
  /** How many keys of a limit are blocked. */
  blocked(count: 'login' | 'address'): Promise<number>
  /**
   * Deletes the failed attempts of a username and of a client over all addresses, and the wrong
   * codes of the user; pending attempts stay.
   */
  forget(
    trx: DatabaseOrTransaction,
    username: Username,
    userId: number | null,
    clientId: string,
  ): Promise<void>
}

/** The state of one rate limit. */
export interface LimitState extends LimitKey {
  /** Attempts that failed, and attempts that are not judged yet. */
  readonly used: number
  readonly pending: number
  /** The quota; 0: no limit. */
  readonly attempts: number
  /** Epoch milliseconds; null while the limit admits attempts. */
  readonly blockedUntil: number | null
}

export interface ThrottleOverviewDeps extends ThrottleDeps {
  readonly config: Pick<Config, 'login'>
  readonly keys: Pick<KeySet, 'dataKey'>
}

const maxKeysOf = 100

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
      const total = await store.countKeys(now)
      const pageOfKeys = await store.keys(now, offsetOf(page, total), page.limit)
      return { total, data: await statesOf(pageOfKeys, now) }
    },

    async of(username, userId) {
      const { login, captcha } = throttleKeys.named(username, '')
      const names = [login.username, captcha.username, secondFactorKey(userId).username]
      const now = clock.now()
      return statesOf(await store.keysOf(now, names, maxKeysOf), now)
    },

    async blocked(count) {
      const { attempts, windowSeconds } = quotaOf(config, count)
      if (attempts === 0) return 0
      const now = clock.now()
      const since = now - windowSeconds * 1000
      return store.countExceeded(count, { attempts, since, pendingSince: now - pendingMs })
    },

    async forget(trx, username, userId, clientId) {
      const { login, captcha } = throttleKeys.named(username, '')
      const names = [
        throttleKeys.client(clientId, '').username,
        login.username,
        captcha.username,
        ...(userId === null ? [] : [secondFactorKey(userId).username]),
      ]
      await throttleStore(trx).removeFailedOf(names, clock.now() - pendingMs)
    },
  }

  async function statesOf(keys: readonly ThrottleKey[], now: number): Promise<LimitState[]> {
    const data: LimitState[] = []
    for (const key of keys) {
      const limitKey = readThrottleKey(key)
      const quota = quotaOf(config, limitKey.count)
      const since = now - quota.windowSeconds * 1000
      const [inWindow = []] = await store.attempts([{ key, since }])
      const lapsing = { pendingLapses: pendingLapses(limitKey.count) }
      const counted = withoutLapsed(inWindow, lapsing, now)
      const pending = counted.filter((attempt) => isPending(attempt, now)).length
      const isExceeded = quota.attempts > 0 && counted.length >= quota.attempts
      data.push({
        ...limitKey,
        used: counted.length - pending,
        pending,
        attempts: quota.attempts,
        blockedUntil: isExceeded ? blockedUntil(quota, counted, now) : null,
      })
    }
    return data
  }
}
