import { afterCommit } from '../database/commit.ts'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { lockName, transact } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError, type RefusalReason } from '../kernel/errors.ts'
import {
  type Attempt,
  type AttemptOptions,
  type InTransaction,
  type Reservation,
  runAttempt,
} from './attempt.ts'
import { readThrottleKey } from './keys.ts'
import { type CountedAttempt, purgeAttempts, type ThrottleKey, throttleStore } from './store.ts'
import { createWaitQueues } from './wait-queues.ts'

/**
 * A rate limit on attempts in a sliding window, spec 3.3. An attempt is reserved before it is
 * judged, so that parallel guesses cannot all pass a limit that none of them has used up yet.
 * Reservations are rows of the database: all processes share them, and a kill loses none.
 */
export interface Throttle {
  /**
   * Does the work as an attempt of this key, if its rate limit admits one.
   * @throws ApiError tooManyLoginAttempts; and what the work throws
   */
  attempt<T>(
    key: ThrottleKey,
    work: (attempt: Attempt) => Promise<T>,
    /** What else a failure changes in the transaction that counts it. */
    failed?: InTransaction,
  ): Promise<T>
}

/** How many attempts are admitted in a window; no limit if `attempts` is 0. */
export interface Quota {
  readonly attempts: number
  readonly windowSeconds: number
}

/** The quota of one key. An attempt needs room in several such limits. */
export interface RateLimit {
  readonly key: ThrottleKey
  readonly quota: Quota
  /** Whether a success deletes the failures before it, or its own reservation only. */
  readonly resetsOnSuccess: boolean
  /**
   * Whether a pending attempt stops to count when its process is gone; otherwise it counts as a
   * failure. It stops for an address, because many clients share one and a single kill must not
   * lock all of them out; it counts for a username, because a guess must not be free.
   */
  readonly pendingLapses: boolean
}

/** The first of the rate limits that does not admit an attempt, and when it will. */
export interface Exceeded {
  readonly exceeded: RateLimit
  /** How many attempts count towards it now. */
  readonly used: number
  /** Epoch milliseconds. */
  readonly freesAt: number
  readonly retryAfterSeconds: number
}

/** Reserves attempts in several rate limits together: in all of them or in none. */
export interface Limiter {
  reserve(limits: readonly RateLimit[]): Promise<{ readonly reservation: Reservation } | Exceeded>
  /**
   * Resets the limits as a success does, without a reservation of its own; deletes nothing if a
   * limit is exceeded. Answers null if none is.
   */
  admit(limits: readonly RateLimit[]): Promise<Exceeded | null>
}

export interface ThrottleDeps {
  readonly db: Database
  readonly clock: Clock
}

// A verification that has not ended after this long never will: its process is gone.
export const pendingMs = 10_000
/**
 * How long after the reservation a verification may begin. A later one could end after its
 * reservation has lapsed, so a full hashing queue would admit more guesses than the quota.
 */
export const maxStartDelayMs = 5_000
// How long a login waits while other attempts of its key are being judged.
const maxWaitMs = 2_000
// How often the first waiter checks for attempts that other processes have settled.
const pollMs = 100

/** A throttle with a single rate limit. */
export function createThrottle(
  { events, ...deps }: ThrottleDeps & Pick<AttemptOptions, 'events'>,
  quota: Quota,
): Throttle {
  const limiter = createLimiter(deps)
  const limitOf = (key: ThrottleKey): RateLimit => ({
    key,
    quota,
    resetsOnSuccess: true,
    pendingLapses: false,
  })
  return {
    async attempt(key, work, failed) {
      const answer = await limiter.reserve([limitOf(key)])
      if ('exceeded' in answer) throw tooManyAttempts(answer)
      const { reservation } = answer
      return runAttempt(deps, { reservation, events, ...(failed && { failed }) }, work)
    },
  }
}

export function tooManyAttempts(exceeded: Exceeded): ApiError {
  const { retryAfterSeconds } = exceeded
  return new ApiError('tooManyLoginAttempts', { retryAfterSeconds, reason: reasonOf(exceeded) })
}

const codes = {
  login: 'limit_username_address',
  address: 'limit_address',
  captcha: 'captcha_absent',
  client: 'limit_client',
  client_address: 'limit_client_address',
  taken_usernames: 'limit_taken_usernames',
} as const

function reasonOf(exceeded: Exceeded): RefusalReason {
  const { count, userId } = readThrottleKey(exceeded.exceeded.key)
  const facts = countOf(exceeded)
  return count === 'second_factor'
    ? { code: 'limit_second_factor', facts: { ...facts, user_id: userId } }
    : { code: codes[count], facts }
}

/** The count of an exceeded limit, as facts of a reason. */
export function countOf({ exceeded: { quota }, used, freesAt }: Exceeded) {
  const { attempts, windowSeconds } = quota
  return { used, attempts, window_seconds: windowSeconds, frees_at: freesAt }
}

export function createLimiter({ db, clock }: ThrottleDeps): Limiter {
  const queues = createWaitQueues(clock, pollMs)

  return {
    async reserve(all) {
      const limits = all.filter(isLimited)
      const deadline = clock.now() + maxWaitMs
      let waiter: ReturnType<typeof queues.join> | undefined
      try {
        for (;;) {
          const notificationsBefore = queues.notifications()
          const check = await tryReserve(limits)
          if ('ids' in check) return { reservation: reservation(limits, check) }
          const now = clock.now()
          const mayFree = check.counted.some((attempt) => isPending(attempt, now))
          if (!mayFree || now >= deadline) return exceeded(check.exceeded, check.counted, now)
          const key = nameOf(check.exceeded.key)
          if (waiter?.key !== key) {
            waiter?.leave()
            waiter = queues.join(key, notificationsBefore)
          }
          await waiter.wait(deadline - now)
        }
      } finally {
        waiter?.leave()
      }
    },

    async admit(all) {
      const store = throttleStore(db)
      const now = clock.now()
      const toReset: ThrottleKey[] = []
      for (const { limit, counted } of await countAttempts(store, all.filter(isLimited), now)) {
        const failed = counted.filter((attempt) => !isPending(attempt, now))
        if (failed.length >= limit.quota.attempts) return exceeded(limit, failed, now)
        if (limit.resetsOnSuccess && failed.length > 0) toReset.push(limit.key)
      }
      if (toReset.length > 0) await store.clear([], toReset, now - pendingMs)
      return null
    },
  }

  type Reserved = { ids: readonly number[]; takenAt: number }
  type Check = Reserved | { exceeded: RateLimit; counted: CountedAttempt[] }

  function tryReserve(limits: readonly RateLimit[]): Promise<Check> {
    const lockNames = limits.map(({ key }) => lockName.throttle(nameOf(key)))
    return inTransaction(lockNames, limits.length > 0, async (trx) => {
      const store = throttleStore(trx)
      const now = clock.now()
      for (const { limit, counted } of await countAttempts(store, limits, now)) {
        if (counted.length >= limit.quota.attempts) return { exceeded: limit, counted }
      }
      const wanted = limits.map(({ key, quota }) => ({ key, expiresAt: endOf(now, quota) }))
      const ids = wanted.length > 0 ? await store.insertPending(now, wanted) : []
      return { ids, takenAt: now }
    })
  }

  function reservation(limits: readonly RateLimit[], { ids, takenAt }: Reserved): Reservation {
    const notifyAll = () => {
      for (const { key } of limits) queues.notify(nameOf(key))
    }
    const settle = async (isNeeded: boolean, change: InTransaction) => {
      await inTransaction([], isNeeded, change)
      notifyAll()
    }
    const isStored = ids.length > 0
    return {
      takenAt,
      fail: (also) =>
        settle(isStored || also !== undefined, async (trx) => {
          if (isStored) await throttleStore(trx).markFailed(ids)
          await also?.(trx)
        }),
      cancel: () =>
        settle(isStored, async (trx) => {
          if (isStored) await throttleStore(trx).remove(ids)
        }),
      async succeed(trx) {
        if (!isStored) return
        const reset = limits.flatMap(({ key, resetsOnSuccess }) => (resetsOnSuccess ? key : []))
        await throttleStore(trx).clear(ids, reset, clock.now() - pendingMs)
        afterCommit(trx, notifyAll)
      },
    }
  }

  /** Does the work without a transaction if none is needed: there are no limits. */
  function inTransaction<T>(
    lockNames: readonly string[],
    isNeeded: boolean,
    work: (trx: DatabaseOrTransaction) => Promise<T>,
  ) {
    return isNeeded ? transact(db, lockNames, work) : work(db)
  }
}

/** Deletes up to `batchSize` attempts that are in no window any more; answers how many. */
export function purgeThrottle({ db, clock }: ThrottleDeps, batchSize: number): Promise<number> {
  return purgeAttempts(db, clock.now(), batchSize)
}

function isLimited({ quota }: RateLimit): boolean {
  return quota.attempts > 0
}

export function isPending({ pending, takenAt }: CountedAttempt, now: number): boolean {
  return pending && takenAt > now - pendingMs
}

/** The attempts that count: not those that have lapsed. */
export function withoutLapsed(
  attempts: readonly CountedAttempt[],
  { pendingLapses }: Pick<RateLimit, 'pendingLapses'>,
  now: number,
): CountedAttempt[] {
  return attempts.filter((attempt) => !pendingLapses || !attempt.pending || isPending(attempt, now))
}

/** Each limit with the attempts that count towards it, in the order of the limits. */
async function countAttempts(
  store: ReturnType<typeof throttleStore>,
  limits: readonly RateLimit[],
  now: number,
): Promise<{ limit: RateLimit; counted: CountedAttempt[] }[]> {
  const windows = limits.map(({ key, quota }) => ({
    key,
    since: now - quota.windowSeconds * 1000,
  }))
  const inWindows = await store.attempts(windows)
  return limits.map((limit, index) => ({
    limit,
    counted: withoutLapsed(inWindows[index] ?? [], limit, now),
  }))
}

function endOf(now: number, { windowSeconds }: Quota): number {
  return Math.min(now + windowSeconds * 1000, Number.MAX_SAFE_INTEGER)
}

function exceeded(limit: RateLimit, counted: readonly CountedAttempt[], now: number): Exceeded {
  const endsAt = blockedUntil(limit.quota, counted, now)
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
  return { exceeded: limit, used: counted.length, freesAt: endsAt, retryAfterSeconds }
}

/** When a quota that is used up admits an attempt again, in epoch milliseconds. */
export function blockedUntil(
  { attempts, windowSeconds }: Quota,
  counted: readonly CountedAttempt[],
  now: number,
): number {
  // The setting may have been lowered: the quota admits one when fewer than `attempts` are left.
  const decisive = counted[counted.length - attempts]?.takenAt ?? now
  const pending = counted.find((attempt) => isPending(attempt, now))
  return pending ? pending.takenAt + pendingMs : decisive + windowSeconds * 1000
}

function nameOf({ username, address }: ThrottleKey): string {
  return `${username} ${address}`
}
