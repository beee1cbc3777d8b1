import assert from 'node:assert/strict'
import type { Database } from '../src/core/database/database.ts'
import type { Clock } from '../src/core/lib/clock.ts'
import type { ThrottleKey } from '../src/modules/throttle/store.ts'
import {
  type Admitted,
  createLimiter,
  type Exceeded,
  type RateLimit,
} from '../src/modules/throttle/throttle.ts'

/** A limit of 2 attempts in a minute. */
export function limit(username: string, attempts = 2, more: Partial<RateLimit> = {}): RateLimit {
  return {
    key: limitKey(username),
    quota: { attempts, windowSeconds: 60 },
    resetsOnSuccess: true,
    pendingLapses: false,
    ...more,
  }
}

export function limitKey(username: string): ThrottleKey {
  return { username, address: 'x' }
}

/** Reserves attempts on a database, and reads what is left there. */
export function attemptsOn(db: Database, clock: Clock) {
  const limiter = createLimiter({ db, clock })
  return {
    limiter,
    async reserved(...limits: readonly RateLimit[]): Promise<Admitted> {
      const answer = await limiter.reserve(limits)
      return 'exceeded' in answer ? assert.fail(`${answer.exceeded.key.username} is full`) : answer
    },
    async refused(...limits: readonly RateLimit[]): Promise<Exceeded> {
      const answer = await limiter.reserve(limits)
      return 'exceeded' in answer ? answer : assert.fail('admitted')
    },
    async failed(times: number, ...limits: readonly RateLimit[]): Promise<void> {
      for (let time = 0; time < times; time += 1) {
        await (await this.reserved(...limits)).reservation.fail()
      }
    },
    /** `username` of each attempt, with a question mark if it is pending, in their order. */
    async left(): Promise<string> {
      const rows = await db.selectFrom('throttle_places').selectAll().orderBy('id').execute()
      return rows.map(({ username, pending }) => `${username}${pending === 1 ? '?' : ''}`).join(' ')
    },
    async clear(): Promise<void> {
      await db.deleteFrom('throttle_places').execute()
    },
  }
}
