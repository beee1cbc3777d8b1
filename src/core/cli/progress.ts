import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'

const everyMs = 1000

/** At most one line per second, none in the first second. */
export function progressTo(stderr: Writable, clock: Clock) {
  let toldAt: number | undefined
  return (table: string, done: number, total: number): void => {
    const now = clock.now()
    toldAt ??= now
    if (now - toldAt < everyMs) return
    toldAt = now
    stderr.write(`${table}: ${done} of ${total}\n`)
  }
}
