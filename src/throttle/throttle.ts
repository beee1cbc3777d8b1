import type { Database } from '../database/connect.ts'
import type { Clock } from '../kernel/clock.ts'
import { digest } from '../kernel/digest.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Username } from '../kernel/username.ts'
import { type Place, reapPlaces, type ThrottleKey, throttleStore } from './store.ts'

/**
 * Tries counted in a sliding window, spec 3.3: so many places per key. A place is taken before the
 * try is judged, so that parallel guesses cannot all pass a count that none of them has raised
 * yet; it lies in the database, so that all processes share it and a kill loses none.
 */
export interface Throttle {
  /** Takes a place, or waits for a pending one. @throws ApiError tooManyLoginAttempts */
  admit(key: ThrottleKey): Promise<TakenPlace>
  /**
   * A success that need not be verified again: it passes, and clears, like any other.
   * @throws ApiError tooManyLoginAttempts
   */
  pass(key: ThrottleKey): Promise<void>
}

/** How many tries in how long; no limit where `attempts` is 0. */
export interface Limit {
  readonly attempts: number
  readonly windowSeconds: number
}

/** The key of spec 3.3: the username combined with the client address. */
export function loginKey(username: Username, address: string): ThrottleKey {
  return { username: digest(username), address }
}

/** A place that waits for the verdict. One of the three must follow. */
export interface TakenPlace {
  /** The password was wrong: the place stays used until the window has passed over it. */
  keep(): Promise<void>
  /** The login succeeded: the counter starts anew. */
  clear(): Promise<void>
  /** There was no verdict, or it shall not count. */
  giveBack(): Promise<void>
}

export interface ThrottleDeps {
  readonly db: Database
  readonly clock: Clock
}

// A verification that has not ended after this long never will: its process is gone.
const pendingMs = 10_000
// How long a login waits while others of its key are being verified.
const patienceMs = 2_000
// Another process may settle a place: looked at this often, and at once when this process does.
const pollMs = 100

export function createThrottle(
  { db, clock }: ThrottleDeps,
  { attempts: limit, windowSeconds }: Limit,
): Throttle {
  const windowMs = windowSeconds * 1000
  const bells = createBells()
  const unlimited: TakenPlace = { keep: nothing, clear: nothing, giveBack: nothing }

  return {
    async admit(key) {
      if (limit === 0) return unlimited
      const deadline = clock.now() + patienceMs
      for (;;) {
        const bell = bells.listen(key) // before the look, so that no ring is missed after it
        try {
          const { id, places } = await tryPlace(key)
          if (id !== undefined) return place(key, id)
          const now = clock.now()
          const someMayPass = places.some((taken) => isPending(taken, now))
          if (!someMayPass || now >= deadline) throw tooMany(places, now)
          await clock.wait(Math.min(pollMs, deadline - now), bell.signal)
        } finally {
          bell.leave()
        }
      }
    },

    async pass(key) {
      if (limit === 0) return
      const now = clock.now()
      const places = await throttleStore(db).taken(key, now - windowMs)
      const used = places.filter((taken) => !isPending(taken, now))
      if (used.length >= limit) throw tooMany(used, now)
      if (used.length > 0) await throttleStore(db).clear(key, null, now - pendingMs)
    },
  }

  function tryPlace(key: ThrottleKey): Promise<{ id?: number; places: Place[] }> {
    return db.transaction().execute(async (trx) => {
      const store = throttleStore(trx)
      const now = clock.now()
      const places = await store.taken(key, now - windowMs)
      return places.length < limit ? { id: await store.takePending(key, now), places } : { places }
    })
  }

  function place(key: ThrottleKey, id: number): TakenPlace {
    const store = throttleStore(db)
    const settled = async (change: Promise<void>) => {
      await change
      bells.ring(key)
    }
    return {
      keep: () => settled(store.markUsed(id)),
      clear: () => settled(store.clear(key, id, clock.now() - pendingMs)),
      giveBack: () => settled(store.remove(id)),
    }
  }

  function tooMany(places: readonly Place[], now: number): ApiError {
    // The settings may have been lowered: room is there once fewer than `limit` are left.
    const decisive = places[places.length - limit]?.takenAt ?? now
    const retryAfterSeconds = Math.max(1, Math.ceil((decisive + windowMs - now) / 1000))
    return new ApiError('tooManyLoginAttempts', { retryAfterSeconds })
  }
}

/** Removes up to `most` places that the longest of the windows does not count any more. */
export function reapThrottle(
  { db, clock }: ThrottleDeps,
  limits: readonly Limit[],
  most: number,
): Promise<number> {
  const longest = Math.max(...limits.map(({ windowSeconds }) => windowSeconds))
  return reapPlaces(db, clock.now() - longest * 1000, most)
}

function isPending({ pending, takenAt }: Place, now: number): boolean {
  return pending && takenAt > now - pendingMs
}

interface Bell {
  readonly signal: AbortSignal
  leave(): void
}

/** Wakes those who wait for a place of a key when one of this process is settled. */
function createBells() {
  const bells = new Map<string, { readonly controller: AbortController; listeners: number }>()
  const nameOf = ({ username, address }: ThrottleKey) => `${username} ${address}`
  return {
    listen(key: ThrottleKey): Bell {
      const name = nameOf(key)
      const bell = bells.get(name) ?? { controller: new AbortController(), listeners: 0 }
      bell.listeners += 1
      bells.set(name, bell)
      return {
        signal: bell.controller.signal,
        leave: () => {
          bell.listeners -= 1
          if (bell.listeners === 0 && bells.get(name) === bell) bells.delete(name)
        },
      }
    },
    ring(key: ThrottleKey): void {
      const name = nameOf(key)
      bells.get(name)?.controller.abort()
      bells.delete(name)
    },
  }
}

async function nothing(): Promise<void> {}
