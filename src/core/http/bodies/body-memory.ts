import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Limits the memory of all request bodies together. Authenticated callers have a limit apart from
 * anonymous ones, so that callers without credentials cannot use up their share.
 */
export interface BodyMemory {
  /** Starts to count the body of a request; its memory is released when the request ends. */
  open(request: FastifyRequest, reply: FastifyReply): HeldBody
}

export interface HeldBody {
  /**
   * Sets how many bytes this body holds; answers false, and changes nothing, if they do not fit.
   */
  resize(bytes: number): boolean
}

export interface BodyMemoryLimits {
  readonly maxAnonymousBytes: number
  readonly maxBytes: number
}

/**
 * The first bytes of every body are not counted, so that logins are served while large bodies fill
 * the memory. A connection itself costs more than these bytes.
 */
const freeBytes = 1024

export function bodyMemory({ maxAnonymousBytes, maxBytes }: BodyMemoryLimits): BodyMemory {
  const anonymous = { bytes: 0, max: maxAnonymousBytes }
  const known = { bytes: 0, max: maxBytes }

  return {
    open(request, { raw: response }) {
      const { socket } = request.raw
      let held = 0
      let isOver = false
      const release = () => {
        isOver = true
        pool.bytes -= held
        held = 0
        response.off('close', release)
        forget(socket, release)
      }
      const pool = request.principal === null ? anonymous : known
      response.once('close', release)
      atEnd(socket, release) // a queued answer emits no event when its connection closes
      return {
        resize(bytes) {
          const wanted = Math.max(0, bytes - freeBytes)
          if (isOver || (wanted > held && pool.bytes - held + wanted > pool.max)) return false
          pool.bytes += wanted - held
          held = wanted
          return true
        },
      }
    },
  }
}

/** Work for the end of a connection: one listener serves all its requests. */
const endings = new WeakMap<Socket, Set<() => void>>()

function atEnd(socket: Socket, work: () => void): void {
  const known = endings.get(socket)
  if (known) {
    known.add(work)
    return
  }
  const all = new Set([work])
  endings.set(socket, all)
  socket.once('close', () => {
    for (const one of all) one()
  })
}

function forget(socket: Socket, work: () => void): void {
  endings.get(socket)?.delete(work)
}
