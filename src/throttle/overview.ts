import type { Config } from '../config/load.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import { offsetOf, type Page } from '../http/routes/paging.ts'
import type { Username } from '../kernel/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import { type CountedFor, createThrottleKeys, readThrottleKey, secondFactorKey } from './keys.ts'
import { lapses, limitOf } from './limits.ts'
import { throttleStore } from './store.ts'
import { freeAt, isPending, pendingMs, type ThrottleDeps, withoutLapsed } from './throttle.ts'

/** What is counted and blocked now, by the settings in force, for an administrator. */
export interface ThrottleOverview {
  /** The counts that have places, the last used first. */
  page(page: Page): Promise<{ readonly total: number; readonly data: CountNow[] }>
  /** What stands for a username in a `CountNow`. */
  digestOf(username: Username): string
  /** How many keys of a count are blocked. */
  blocked(count: 'login' | 'address'): Promise<number>
  /**
   * Forgets the tries of a username over all addresses, and the wrong codes of its user; never a try
   * that is being judged.
   */
  forget(trx: DatabaseOrTransaction, username: Username, userId: number | null): Promise<void>
}

export interface CountNow extends CountedFor {
  /** Tries that count, and tries whose verdict is awaited. */
  readonly used: number
  readonly pending: number
  /** How many there is room for; 0: no limit. */
  readonly attempts: number
  /** Epoch milliseconds; null while there is room. */
  readonly blockedUntil: number | null
}

export interface ThrottleOverviewDeps extends ThrottleDeps {
  readonly config: Pick<Config, 'login'>
  readonly keys: Pick<KeySet, 'dataKey'>
}

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
      const data: CountNow[] = []
      for (const key of pageOfKeys) {
        const counted = readThrottleKey(key)
        const limit = limitOf(config, counted.count)
        const since = now - limit.windowSeconds * 1000
        const [taken = []] = await store.taken([{ key, since }])
        const places = withoutLapsed(taken, { lapses: lapses(counted.count) }, now)
        const pending = places.filter((place) => isPending(place, now)).length
        const isFull = limit.attempts > 0 && places.length >= limit.attempts
        data.push({
          ...counted,
          used: places.length - pending,
          pending,
          attempts: limit.attempts,
          blockedUntil: isFull ? freeAt(limit, places, now) : null,
        })
      }
      return { total, data }
    },

    async blocked(count) {
      const { attempts, windowSeconds } = limitOf(config, count)
      if (attempts === 0) return 0
      const now = clock.now()
      const since = now - windowSeconds * 1000
      return store.countFull(count, { attempts, since, pendingSince: now - pendingMs })
    },

    async forget(trx, username, userId) {
      const names = [
        throttleKeys.login(username, '').username,
        throttleKeys.captcha(username, '').username,
        ...(userId === null ? [] : [secondFactorKey(userId).username]),
      ]
      await throttleStore(trx).removeUsedOf(names, clock.now() - pendingMs)
    },
  }
}
