/** The source of time. No other code reads the system's clock. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
  /** Resolves after `milliseconds` of this clock's time, or as soon as `signal` aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      signal?.addEventListener('abort', done, { once: true })
    }),
}

/** Converts to whole seconds since the epoch, as in JWT claims. RFC 7519 section 2, NumericDate. */
export function epochSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

const lastDateMs = 8_640_000_000_000_000 // ECMA-262, time values

/** Formats epoch milliseconds as ISO 8601 in UTC, the form of every `*_at` field of an answer. */
export function isoTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, lastDateMs)).toISOString()
}

/** The same; null for null. */
export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}

/**
 * How much longer than a token its revocation is kept. A clock that was up to this far ahead can be
 * corrected without a revoked token becoming valid again.
 */
export const clockLeewayMs = 86_400_000
