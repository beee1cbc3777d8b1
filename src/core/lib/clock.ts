/** No other code reads the system clock. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
  /** Milliseconds of this clock; resolves early on `signal`. */
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

/** RFC 7519 section 2, NumericDate. */
export function epochSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

const lastDateMs = 8_640_000_000_000_000 // ECMA-262, time values

/** ISO 8601 in UTC, as in `*_at` fields. */
export function isoTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, lastDateMs)).toISOString()
}

export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}

/**
 * Revocations outlive their tokens by this time: correcting a clock that was ahead must not make a
 * revoked token valid again.
 */
export const clockLeewayMs = 86_400_000
