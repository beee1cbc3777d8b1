import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * How many bytes of bodies are in memory at once, over all connections. Authenticated callers
 * count apart from others, so that those without credentials neither fill the memory nor use up the
 * share of those who have some.
 */
export interface BodyMemory {
  /** What one request will hold: until it is over, however it ends. */
  open(request: FastifyRequest, reply: FastifyReply): HeldBody
}

export interface HeldBody {
  /** Whether so many bytes are to be had for this body, in place of what it held before. */
  resize(bytes: number): boolean
}

export interface BodyMemoryLimits {
  readonly maxAnonymousBytes: number
  readonly maxBytes: number
}

/**
 * Of every body so much is free, so that a memory full of large bodies does not refuse logins; it
 * is less than the connection costs on which the body comes.
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
      atEnd(socket, release) // an answer that waits behind others does not hear of it
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

/** The work at the end of a connection: one listener, however many requests it has. */
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
