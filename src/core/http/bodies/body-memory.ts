import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Authenticated callers have a separate limit, which anonymous callers cannot exhaust. */
export interface BodyMemory {
  /** Counts the body until the request ends. */
  open(request: FastifyRequest, reply: FastifyReply): HeldBody
}

export interface HeldBody {
  /** False, without a change, if the limit is exceeded. */
  resize(bytes: number): boolean
}

export interface BodyMemoryLimits {
  readonly maxAnonymousBytes: number
  readonly maxBytes: number
}

/** Not counted, so that logins work while large bodies fill the memory. */
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

/** One listener per connection serves all requests. */
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
