import type { Clock } from '../kernel/clock.ts'

/** A spot in the line of those who wait for a place of the same key. */
export interface Spot {
  readonly line: string
  /** Resolves when it is worth another look, or after `milliseconds`. */
  wait(milliseconds: number): Promise<void>
  leave(): void
}

export interface Lines {
  /** How often any line was called so far; a new spot wants to know it as of its last look. */
  calls(): number
  join(line: string, callsBeforeLook: number): Spot
  /** A place of this key was settled: whoever is first in its line looks again. */
  call(line: string): void
}

/**
 * Those who wait for places, in lines: the first alone looks again when a place was settled, and
 * calls the next one when it leaves. Were all to look at once, a crowd at one address would cost the
 * square of its number.
 */
export function createLines(clock: Clock, pollMs: number): Lines {
  const lines = new Map<string, Waiting[]>()
  let calls = 0

  return {
    calls: () => calls,

    join(line, callsBeforeLook) {
      const waiting = lines.get(line) ?? []
      lines.set(line, waiting)
      const own: Waiting = { alarm: new AbortController() }
      waiting.push(own)
      // Whoever stands first has looked since the last call; nobody did so for a first one.
      if (waiting[0] === own && calls !== callsBeforeLook) own.alarm.abort()
      return {
        line,
        async wait(milliseconds) {
          // Another process may settle a place: the first looks without being called, too.
          const most = waiting[0] === own ? Math.min(pollMs, milliseconds) : milliseconds
          await clock.wait(most, own.alarm.signal)
          own.alarm = new AbortController() // before the look, so that no call is missed after it
        },
        leave() {
          waiting.splice(waiting.indexOf(own), 1)
          if (waiting.length === 0) lines.delete(line)
          waiting[0]?.alarm.abort()
        },
      }
    },

    call(line) {
      calls += 1
      lines.get(line)?.[0]?.alarm.abort()
    },
  }
}

interface Waiting {
  alarm: AbortController
}
