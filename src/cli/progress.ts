import type { Writable } from 'node:stream'
import type { Clock } from '../kernel/clock.ts'

const everyMs = 1000

/** Tells how far a copy is: a line a second at most, and none for what takes less. */
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
