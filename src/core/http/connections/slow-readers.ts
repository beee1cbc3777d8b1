import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { transportOf } from './connections.ts'

export interface SlowReaderOptions {
  readonly clock: Clock
  /** Maximum milliseconds without reading. */
  readonly stillMs: number
}

/** Minimum average rate over `windowMs`. */
const minBytesPerSecond = 1024
const windowMs = 30_000
const checkMs = 1_000

/** Bytes of written data that the client has read. */
export interface Taken {
  readonly done: number
  /** Unread bytes of the current write. */
  readonly left: number
}

export interface Reading extends Taken {
  /** Unread bytes at the first check of the current write. */
  readonly leftAtFirst: number
  /** Milliseconds without reading. */
  readonly stillMs: number
  /** Age of the current window, and bytes read before the window. */
  readonly windowMs: number
  readonly takenBefore: number
}

/**
 * Unread responses occupy memory: closes connections that read nothing for `stillMs`, or less than
 * `minBytesPerSecond` over `windowMs`. One check per second adds no cost per request. Bytes
 * accepted by the kernel count as read.
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
      // Clock jumps and a busy process must not penalize clients.
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

/** The progress `passedMs` after the last check; null: first check. */
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

export function isTooSlow(reading: Reading, stillMs: number): boolean {
  if (reading.stillMs >= stillMs) return true
  const wanted = (minBytesPerSecond * windowMs) / 1000
  return reading.windowMs >= windowMs && bytesOf(reading) - reading.takenBefore < wanted
}

function bytesOf({ done, left, leftAtFirst }: Reading): number {
  return done + leftAtFirst - left
}

function takenBy(socket: Socket): Taken {
  // Bytes not accepted by the kernel; Node's socket.setTimeout uses this field.
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return { done: socket.bytesWritten - socket.writableLength, left: handle?.writeQueueSize ?? 0 }
}

/** Resets: after a close the kernel would keep megabytes of unread data. */
function endNow(socket: Socket): void {
  const transport = transportOf(socket) ?? socket
  transport.resetAndDestroy()
}
