/** Where time comes from. Nothing outside `kernel/` asks the system. */
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

/** Whole seconds since the epoch, as JWT claims count them. RFC 7519 section 2, NumericDate. */
export function epochSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

const lastDateMs = 8_640_000_000_000_000 // ECMA-262, time values

/** Epoch milliseconds as an ISO 8601 text in UTC, the form of every `*_at` field of an answer. */
export function isoTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, lastDateMs)).toISOString()
}

/**
 * What ended a token is kept so much longer than the token: a clock that was ahead by up to this, and
 * is set right, brings none back.
 */
export const clockLeewayMs = 86_400_000
