import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { transportOf } from './connections.ts'

export interface SlowReaderOptions {
  readonly clock: Clock
  /** How long a client may read nothing of an answer, in milliseconds. */
  readonly stillMs: number
}

/** The minimum rate at which an answer must be read, on average over `windowMs`. */
const minBytesPerSecond = 1024
const windowMs = 30_000
const checkMs = 1_000

/** How much of the data written to a connection its client has read, in bytes. */
export interface Taken {
  /** Bytes of completed writes. */
  readonly done: number
  /** Unread bytes of the write under way. */
  readonly left: number
}

/** The progress of a client that reads an answer. */
export interface Reading extends Taken {
  /** Unread bytes of the write under way at its first check. */
  readonly leftAtFirst: number
  /** For how long the client has read nothing. */
  readonly stillMs: number
  /** The present window: how long it has lasted, and the bytes read before it. */
  readonly windowMs: number
  readonly takenBefore: number
}

/**
 * Ends the connections of clients that do not read their answers: that read nothing for `stillMs`,
 * or less than `minBytesPerSecond` on average over `windowMs`. Unread answers stay in memory, and
 * their requests stay under way. All connections are checked once a second, so that a request costs
 * nothing. Bytes that the kernel has accepted count as read. Answers the function that watches the
 * connection of a request.
 */
export function slowReaders(
  app: FastifyInstance,
  { clock, stillMs }: SlowReaderOptions,
): (request: FastifyRequest) => void {
  const readings = new Map<Socket, Reading | null>()
  const stop = new AbortController()
  let isLooking = false

  app.addHook('onClose', async () => stop.abort())
  return ({ raw: { socket } }) => {
    if (!readings.has(socket) && socket instanceof Socket && !socket.destroyed) watch(socket)
  }

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
      // A clock that jumps or a busy process must not count against the clients.
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
}

/** Answers the progress after one more check, `passedMs` after the last; null: the first check. */
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

/** Whether a client reads too slowly. */
export function isTooSlow(reading: Reading, stillMs: number): boolean {
  if (reading.stillMs >= stillMs) return true
  const wanted = (minBytesPerSecond * windowMs) / 1000
  return reading.windowMs >= windowMs && bytesOf(reading) - reading.takenBefore < wanted
}

function bytesOf({ done, left, leftAtFirst }: Reading): number {
  return done + leftAtFirst - left
}

function takenBy(socket: Socket): Taken {
  // Bytes of a write that the kernel has not accepted; Node's socket.setTimeout reads it as well.
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return { done: socket.bytesWritten - socket.writableLength, left: handle?.writeQueueSize ?? 0 }
}

/**
 * Resets a connection: after a close the kernel would keep the unread bytes, megabytes on loopback.
 */
function endNow(socket: Socket): void {
  const transport = transportOf(socket) ?? socket
  transport.resetAndDestroy()
}
