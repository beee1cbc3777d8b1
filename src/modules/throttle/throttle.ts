import { afterCommit } from '../../core/database/commit.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import {
  type Attempt,
  type AttemptOptions,
  type InTransaction,
  type Reservation,
  runAttempt,
  type UsedUp,
} from './attempt.ts'
import { readThrottleKey } from './keys.ts'
import { type CountedAttempt, purgeAttempts, type ThrottleKey, throttleStore } from './store.ts'
import { createWaitQueues } from './wait-queues.ts'

/**
 * A rate limit on attempts in a sliding window, spec 3.3. An attempt is reserved before the
 * password is verified, so that parallel guesses cannot all pass. Reservations are rows of the
 * database: all processes share them, and a kill loses none.
 */
export interface Throttle {
  /** @throws ApiError tooManyLoginAttempts; errors of the work */
  attempt<T>(
    key: ThrottleKey,
    work: (attempt: Attempt) => Promise<T>,
    /** Further changes in the transaction that counts a failure. */
    failed?: InTransaction,
  ): Promise<T>
}

/** The number of attempts in a window; 0: no limit. */
export interface Quota {
  readonly attempts: number
  readonly windowSeconds: number
}

/** The quota of one key. */
export interface RateLimit {
  readonly key: ThrottleKey
  readonly quota: Quota
  /** A success deletes earlier failures; false: only its own reservation. */
  readonly resetsOnSuccess: boolean
  /**
   * Whether a pending attempt stops counting when its process is gone; otherwise it counts as a
   * failure. True for an address, because a single kill must not lock out the clients that share
   * the address; false for a username, because a guess must not be free.
   */
  readonly pendingLapses: boolean
  /**
   * Further keys that count towards the quota; a success that resets the limit resets these keys.
   */
  readonly also?: readonly ThrottleKey[]
  /** False: the attempt takes no place of its own under the key. Default: true. */
  readonly takesPlace?: boolean
  /** True: above the limit an attempt is admitted, and can only fail. */
  readonly admitsToFail?: boolean
  /** The limit that this limit replaces while that limit is exceeded. */
  readonly inPlaceOf?: RateLimit
}

/** The first limit that does not admit an attempt. */
export interface Exceeded {
  readonly exceeded: RateLimit
  readonly used: number
  /** Epoch milliseconds. */
  readonly freesAt: number
  readonly retryAfterSeconds: number
}

export interface Admitted {
  readonly reservation: Reservation
  /** The exceeded limit because of which the attempt can only fail. */
  readonly usedUp: UsedUp | null
}

/** Reserves attempts in all of several rate limits or in none. */
export interface Limiter {
  reserve(limits: readonly RateLimit[]): Promise<Admitted | Exceeded>
  /**
   * Resets the limits as a success does, without a reservation; deletes nothing if a limit is
   * exceeded. Null if no limit is exceeded.
   */
  admit(limits: readonly RateLimit[]): Promise<Exceeded | null>
}

export interface ThrottleDeps {
  readonly db: Database
  readonly clock: Clock
}

// A verification that takes longer never ends: its process is gone.
export const pendingMs = 10_000
/**
 * The latest start of a verification after the reservation. A later verification could end after
 * the reservation has lapsed, so a full hashing queue would admit more guesses than the quota.
 */
export const maxStartDelayMs = 5_000
// How long a login waits while other attempts of its key are verified.
const maxWaitMs = 2_000
// How often the first waiter checks for attempts that other processes have settled.
const pollMs = 100

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
  login_by_email: 'limit_username_address',
  device: 'limit_address', // never exceeded alone
  address: 'limit_address',
  captcha: 'captcha_absent',
  client: 'limit_client',
  client_address: 'limit_client_address',
  passkey_address: 'limit_passkey_address',
  taken_usernames: 'limit_taken_usernames',
} as const

function reasonOf(exceeded: Exceeded): RefusalReason {
  const { count, userId } = readThrottleKey(exceeded.exceeded.key)
  const facts = countOf(exceeded)
  return count === 'second_factor'
    ? { code: 'limit_second_factor', facts: { ...facts, user_id: userId } }
    : { code: codes[count], facts }
}

/** As facts of a reason. */
export function countOf({ exceeded: { quota }, used, freesAt }: Exceeded): UsedUp {
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
          if ('ids' in check) return { reservation: reservation(check), usedUp: check.usedUp }
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
        if (limit.inPlaceOf) throw new Error('a limit in place of another needs a reservation')
        const failed = counted.filter((attempt) => !isPending(attempt, now))
        if (failed.length >= limit.quota.attempts) return exceeded(limit, failed, now)
        if (limit.resetsOnSuccess && failed.length > 0) toReset.push(...keysOf(limit))
      }
      if (toReset.length > 0) await store.clear([], toReset, now - pendingMs)
      return null
    },
  }

  /** `limits`: the limits that count the attempt. */
  type Reserved = {
    limits: readonly RateLimit[]
    ids: readonly number[]
    takenAt: number
    usedUp: UsedUp | null
  }
  type Check = Reserved | { exceeded: RateLimit; counted: CountedAttempt[] }

  function tryReserve(limits: readonly RateLimit[]): Promise<Check> {
    // A key that counts towards other limits needs the locks of all these keys.
    const keys = limits
      .flatMap(withPreferred)
      .flatMap(({ key, also = [], takesPlace = true }) => (takesPlace ? [key, ...also] : also))
    const lockNames = [...new Set(keys.map((key) => lockName.throttle(nameOf(key))))]
    return inTransaction(lockNames, limits.length > 0, async (trx) => {
      const store = throttleStore(trx)
      const now = clock.now()
      const counts = await countAttempts(store, limits.flatMap(withPreferred), now)
      const countedOf = (limit: RateLimit) =>
        counts.find((one) => one.limit === limit)?.counted ?? []
      const used: RateLimit[] = []
      let usedUp: UsedUp | null = null
      for (const limit of limits) {
        const room = withPreferred(limit).find((one) => countedOf(one).length < one.quota.attempts)
        if (!room && !limit.admitsToFail) return { exceeded: limit, counted: countedOf(limit) }
        if (!room) usedUp = countOf(exceeded(limit, countedOf(limit), now))
        used.push(room ?? limit)
      }
      const wanted = used
        .filter(({ takesPlace = true }) => takesPlace)
        .map(({ key, quota }) => ({ key, expiresAt: endOf(now, quota) }))
      const ids = wanted.length > 0 ? await store.insertPending(now, wanted) : []
      return { limits: used, ids, takenAt: now, usedUp }
    })
  }

  function reservation({ limits, ids, takenAt }: Reserved): Reservation {
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
        const reset = limits.filter(({ resetsOnSuccess }) => resetsOnSuccess).flatMap(keysOf)
        await throttleStore(trx).clear(ids, reset, clock.now() - pendingMs)
        afterCommit(trx, notifyAll)
      },
    }
  }

  /** Without limits no transaction is needed. */
  function inTransaction<T>(
    lockNames: readonly string[],
    isNeeded: boolean,
    work: (trx: DatabaseOrTransaction) => Promise<T>,
  ) {
    return isNeeded ? transact(db, lockNames, work) : work(db)
  }
}

/** Deletes up to `batchSize` attempts outside every window; returns the count. */
export function purgeThrottle({ db, clock }: ThrottleDeps, batchSize: number): Promise<number> {
  return purgeAttempts(db, clock.now(), batchSize)
}

function keysOf({ key, also = [] }: RateLimit): ThrottleKey[] {
  return [key, ...also]
}

function withPreferred(limit: RateLimit): RateLimit[] {
  return limit.inPlaceOf ? [limit.inPlaceOf, limit] : [limit]
}

function isLimited({ quota }: RateLimit): boolean {
  return quota.attempts > 0
}

export function isPending({ pending, takenAt }: CountedAttempt, now: number): boolean {
  return pending && takenAt > now - pendingMs
}

export function withoutLapsed(
  attempts: readonly CountedAttempt[],
  { pendingLapses }: Pick<RateLimit, 'pendingLapses'>,
  now: number,
): CountedAttempt[] {
  return attempts.filter((attempt) => !pendingLapses || !attempt.pending || isPending(attempt, now))
}

/** In the order of the limits. */
async function countAttempts(
  store: ReturnType<typeof throttleStore>,
  limits: readonly RateLimit[],
  now: number,
): Promise<{ limit: RateLimit; counted: CountedAttempt[] }[]> {
  const windows = limits.flatMap((limit) =>
    keysOf(limit).map((key) => ({ key, since: now - limit.quota.windowSeconds * 1000 })),
  )
  const inWindows = (await store.attempts(windows)).values()
  return limits.map((limit) => {
    const all = keysOf(limit).flatMap(() => inWindows.next().value ?? [])
    return { limit, counted: withoutLapsed(all.sort(byTime), limit, now) }
  })
}

export function byTime(a: CountedAttempt, b: CountedAttempt): number {
  return a.takenAt - b.takenAt || a.id - b.id
}

function endOf(now: number, { windowSeconds }: Quota): number {
  return Math.min(now + windowSeconds * 1000, Number.MAX_SAFE_INTEGER)
}

function exceeded(limit: RateLimit, counted: readonly CountedAttempt[], now: number): Exceeded {
  const endsAt = blockedUntil(limit.quota, counted, now)
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
  return { exceeded: limit, used: counted.length, freesAt: endsAt, retryAfterSeconds }
}

/** When an exhausted quota admits an attempt again, in epoch milliseconds. */
export function blockedUntil(
  { attempts, windowSeconds }: Quota,
  counted: readonly CountedAttempt[],
  now: number,
): number {
  // The setting may have been lowered: the quota admits an attempt when fewer than `attempts` are
  // left.
  const decisive = counted[counted.length - attempts]?.takenAt ?? now
  const pending = counted.find((attempt) => isPending(attempt, now))
  return pending ? pending.takenAt + pendingMs : decisive + windowSeconds * 1000
}

function nameOf({ username, address }: ThrottleKey): string {
  return `${username} ${address}`
}
