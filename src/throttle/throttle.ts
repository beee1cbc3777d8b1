import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { afterCommit, lockName, transact } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Attempt, attempted, type Settling } from './attempt.ts'
import { createLines } from './lines.ts'
import { type Place, purgePlaces, type ThrottleKey, throttleStore } from './store.ts'

/**
 * Attempts counted in a sliding window, spec 3.3: so many places per key. A place is taken before the
 * attempt is judged, so that parallel guesses cannot all pass a count that none of them has raised
 * yet; it lies in the database, so that all processes share it and a kill loses none.
 */
export interface Throttle {
  /**
   * Does the work as an attempt of this key, once there is a place for it.
   * @throws ApiError tooManyLoginAttempts; and what the work throws
   */
  attempt<T>(key: ThrottleKey, work: (attempt: Attempt) => Promise<T>): Promise<T>
}

/** How many tries in how long; no limit where `attempts` is 0. */
export interface Limit {
  readonly attempts: number
  readonly windowSeconds: number
}

/** A place that waits for the verdict: one of the three must follow. For `attempt.ts` alone. */
export interface TakenPlace {
  /** Epoch milliseconds. */
  readonly takenAt: number
  /** The attempt failed: the place stays used until the window has passed over it. */
  keep(also?: InTransaction): Promise<void>
  /** It succeeded: the count starts anew. In a transaction that may be begun again. */
  clear(trx: DatabaseOrTransaction): Promise<void>
  /** There was no verdict, or it shall not count. */
  cancel(): Promise<void>
}

/** If it throws, nothing is settled. */
type InTransaction = (trx: DatabaseOrTransaction) => Promise<void>

/** One of several counts that a try must find room in. */
export interface Count {
  readonly key: ThrottleKey
  readonly limit: Limit
  /** Whether a success forgets the failures before it, or takes back its own place alone. */
  readonly forgives: boolean
  /**
   * What becomes of a pending place whose process is gone: it lapses, or it counts as used. Many
   * callers share an address, and one kill must not lock all of them out; a guess must not be free.
   */
  readonly lapses: boolean
}

/** The first of the counts that has no room, and when it will have. */
export interface Full {
  readonly full: Count
  readonly retryAfterSeconds: number
}

/** Places of several counts, taken and settled together: in all of them or in none. */
export interface Places {
  take(counts: readonly Count[]): Promise<{ readonly place: TakenPlace } | Full>
  /** Forgives like a success, without a place of its own; null where every count has room. */
  pass(counts: readonly Count[]): Promise<Full | null>
}

export interface ThrottleDeps {
  readonly db: Database
  readonly clock: Clock
}

// A verification that has not ended after this long never will: its process is gone.
export const pendingMs = 10_000
/**
 * How late after its place was taken a verification may begin. One that began later could end when
 * its place has lapsed, and a full queue would be a way to try more passwords than there are
 * places.
 */
export const beginWithinMs = 5_000
// How long a login waits while others of its key are being verified.
const patienceMs = 2_000
// Another process may settle a place: looked at this often, and at once when this process does.
const pollMs = 100

/** A throttle of a single count. */
export function createThrottle(
  { events, ...deps }: ThrottleDeps & Pick<Settling, 'events'>,
  limit: Limit,
): Throttle {
  const places = createPlaces(deps)
  const count = (key: ThrottleKey): Count => ({ key, limit, forgives: true, lapses: false })
  return {
    async attempt(key, work) {
      const answer = await places.take([count(key)])
      if ('full' in answer) throw tooManyAttempts(answer)
      return attempted(deps, { place: answer.place, events }, work)
    },
  }
}

export function tooManyAttempts({ retryAfterSeconds }: Full): ApiError {
  return new ApiError('tooManyLoginAttempts', { retryAfterSeconds })
}

export function createPlaces({ db, clock }: ThrottleDeps): Places {
  const lines = createLines(clock, pollMs)

  return {
    async take(all) {
      const counts = all.filter(isLimited)
      const deadline = clock.now() + patienceMs
      let spot: ReturnType<typeof lines.join> | undefined
      try {
        for (;;) {
          const callsBeforeLook = lines.calls()
          const look = await tryPlaces(counts)
          if ('ids' in look) return { place: place(counts, look) }
          const now = clock.now()
          const mayPass = look.places.some((taken) => isPending(taken, now))
          if (!mayPass || now >= deadline) return fullness(look.full, look.places, now)
          const line = nameOf(look.full.key)
          if (spot?.line !== line) {
            spot?.leave()
            spot = lines.join(line, callsBeforeLook)
          }
          await spot.wait(deadline - now)
        }
      } finally {
        spot?.leave()
      }
    },

    async pass(all) {
      const store = throttleStore(db)
      const now = clock.now()
      const toForgive: ThrottleKey[] = []
      for (const { count, places } of await look(store, all.filter(isLimited), now)) {
        const used = places.filter((taken) => !isPending(taken, now))
        if (used.length >= count.limit.attempts) return fullness(count, used, now)
        if (count.forgives && used.length > 0) toForgive.push(count.key)
      }
      if (toForgive.length > 0) await store.clear([], toForgive, now - pendingMs)
      return null
    },
  }

  type Taken = { ids: readonly number[]; takenAt: number }
  type Look = Taken | { full: Count; places: Place[] }

  function tryPlaces(counts: readonly Count[]): Promise<Look> {
    const lockNames = counts.map(({ key }) => lockName.throttle(nameOf(key)))
    return inTransaction(lockNames, counts.length > 0, async (trx) => {
      const store = throttleStore(trx)
      const now = clock.now()
      for (const { count, places } of await look(store, counts, now)) {
        if (places.length >= count.limit.attempts) return { full: count, places }
      }
      const wanted = counts.map(({ key, limit }) => ({ key, expiresAt: endOf(now, limit) }))
      const ids = wanted.length > 0 ? await store.takePending(now, wanted) : []
      return { ids, takenAt: now }
    })
  }

  function place(counts: readonly Count[], { ids, takenAt }: Taken): TakenPlace {
    const wake = () => {
      for (const { key } of counts) lines.call(nameOf(key))
    }
    const settle = async (isNeeded: boolean, change: InTransaction) => {
      await inTransaction([], isNeeded, change)
      wake()
    }
    const isTaken = ids.length > 0
    return {
      takenAt,
      keep: (also) =>
        settle(isTaken || also !== undefined, async (trx) => {
          if (isTaken) await throttleStore(trx).markUsed(ids)
          await also?.(trx)
        }),
      cancel: () =>
        settle(isTaken, async (trx) => {
          if (isTaken) await throttleStore(trx).remove(ids)
        }),
      async clear(trx) {
        if (!isTaken) return
        const forgiven = counts.flatMap(({ key, forgives }) => (forgives ? key : []))
        await throttleStore(trx).clear(ids, forgiven, clock.now() - pendingMs)
        afterCommit(trx, wake)
      },
    }
  }

  /** Where nothing is limited there is nothing to begin. */
  function inTransaction<T>(
    lockNames: readonly string[],
    isNeeded: boolean,
    work: (trx: DatabaseOrTransaction) => Promise<T>,
  ) {
    return isNeeded ? transact(db, lockNames, work) : work(db)
  }
}

/** Removes up to `most` places that no window counts any more. */
export function purgeThrottle({ db, clock }: ThrottleDeps, most: number): Promise<number> {
  return purgePlaces(db, clock.now(), most)
}

function isLimited({ limit }: Count): boolean {
  return limit.attempts > 0
}

export function isPending({ pending, takenAt }: Place, now: number): boolean {
  return pending && takenAt > now - pendingMs
}

/** The places that count: not those that have lapsed. */
export function withoutLapsed(
  places: readonly Place[],
  { lapses }: Pick<Count, 'lapses'>,
  now: number,
): Place[] {
  return places.filter((taken) => !lapses || !taken.pending || isPending(taken, now))
}

/** Each count with its places, in the order of the counts. */
async function look(
  store: ReturnType<typeof throttleStore>,
  counts: readonly Count[],
  now: number,
): Promise<{ count: Count; places: Place[] }[]> {
  const windows = counts.map(({ key, limit }) => ({
    key,
    since: now - limit.windowSeconds * 1000,
  }))
  const taken = await store.taken(windows)
  return counts.map((count, index) => ({
    count,
    places: withoutLapsed(taken[index] ?? [], count, now),
  }))
}

function endOf(now: number, { windowSeconds }: Limit): number {
  return Math.min(now + windowSeconds * 1000, Number.MAX_SAFE_INTEGER)
}

function fullness(full: Count, places: readonly Place[], now: number): Full {
  const endsAt = freeAt(full.limit, places, now)
  return { full, retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)) }
}

/** When there will be room among places that leave none now, in epoch milliseconds. */
export function freeAt(
  { attempts, windowSeconds }: Limit,
  places: readonly Place[],
  now: number,
): number {
  // The settings may have been lowered: room is there once fewer than `attempts` are left.
  const decisive = places[places.length - attempts]?.takenAt ?? now
  const pending = places.find((taken) => isPending(taken, now))
  return pending ? pending.takenAt + pendingMs : decisive + windowSeconds * 1000
}

function nameOf({ username, address }: ThrottleKey): string {
  return `${username} ${address}`
}
