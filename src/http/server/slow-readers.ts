import { Socket } from 'node:net'
import plugin from 'fastify-plugin'
import type { Clock } from '../../kernel/clock.ts'

export interface SlowReaderOptions {
  readonly clock: Clock
  /** How long nothing of an answer may be taken, in milliseconds. */
  readonly stillMs: number
}

/** How slowly an answer may be read, and over what time that is judged. */
const minBytesPerSecond = 1024
const windowMs = 30_000
const checkMs = 1_000

/** What a connection has taken of what was written to it, in bytes. */
export interface Taken {
  /** Of writes that are done. */
  readonly done: number
  /** The rest of the write under way. */
  readonly left: number
}

/** How a connection takes it over time. */
export interface Reading extends Taken {
  /** How much of the write under way was left when it was first looked at. */
  readonly leftAtFirst: number
  /** How long nothing was taken. */
  readonly stillMs: number
  /** The present window: how long it has lasted, and the bytes taken before it. */
  readonly windowMs: number
  readonly takenBefore: number
}

/**
 * Ends the connections of clients that do not read their answers: where nothing was taken for
 * `stillMs`, or less than `minBytesPerSecond` over `windowMs`. What is written to such a client
 * stays in memory, and what it asked for stays under way. All connections are looked at once a
 * second, so that a request costs nothing; what the kernel takes counts as read.
 */
export const slowReaders = plugin<SlowReaderOptions>(async (app, { clock, stillMs }) => {
  const readings = new Map<Socket, Reading | null>()
  const stop = new AbortController()
  let isLooking = false

  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (!readings.has(socket) && socket instanceof Socket && !socket.destroyed) watch(socket)
    done()
  })
  app.addHook('onClose', async () => stop.abort())

  function watch(socket: Socket): void {
    readings.set(socket, null)
    socket.once('close', () => readings.delete(socket))
    if (!isLooking) void look()
  }

  async function look(): Promise<void> {
    isLooking = true
    let before = clock.now()
    while (readings.size > 0 && !stop.signal.aborted) {
      await clock.wait(checkMs, stop.signal)
      const now = clock.now()
      // A clock that jumps, or a process that was busy, says nothing about the readers.
      const passedMs = Math.min(Math.max(now - before, 0), 2 * checkMs)
      before = now
      let ended = 0
      for (const [socket, reading] of readings) {
        const isRead = socket.writableLength === 0
        const current = isRead ? null : nextReading(reading, takenBy(socket), passedMs)
        readings.set(socket, current)
        if (!current || !isTooSlow(current, stillMs)) continue
        ended += 1
        endNow(socket)
      }
      if (ended > 0) app.log.warn({ connections: ended }, 'ended: their answers were not read')
    }
    isLooking = false
  }
})

/** The reading after one more look, `passedMs` after the last; null: there was none. */
export function nextReading(
  last: Reading | null,
  { done, left }: Taken,
  passedMs: number,
): Reading {
  if (!last) {
    return { done, left, leftAtFirst: left, stillMs: 0, windowMs: 0, takenBefore: done }
  }
  const isSameWrite = done === last.done && left <= last.left
  const isStill = isSameWrite && left === last.left
  const isNewWindow = last.windowMs >= windowMs
  return {
    done,
    left,
    leftAtFirst: isSameWrite ? last.leftAtFirst : left,
    stillMs: isStill ? last.stillMs + passedMs : 0,
    windowMs: isNewWindow ? passedMs : last.windowMs + passedMs,
    takenBefore: isNewWindow ? bytesOf(last) : last.takenBefore,
  }
}

/** Whether a connection takes too little to be waited for. */
export function isTooSlow(reading: Reading, stillMs: number): boolean {
  if (reading.stillMs >= stillMs) return true
  const wanted = (minBytesPerSecond * windowMs) / 1000
  return reading.windowMs >= windowMs && bytesOf(reading) - reading.takenBefore < wanted
}

function bytesOf({ done, left, leftAtFirst }: Reading): number {
  return done + leftAtFirst - left
}

function takenBy(socket: Socket): Taken {
  // What the kernel has not taken of a write yet; Node's own socket.setTimeout looks at it.
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return { done: socket.bytesWritten - socket.writableLength, left: handle?.writeQueueSize ?? 0 }
}

/** By a reset: after a close the kernel would keep what was not read, megabytes on loopback. */
function endNow(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
