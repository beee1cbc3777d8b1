import type { Server } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Connections } from './connections.ts'

// Between red readiness and the closed port.
const noticeMs = 250
// Afterwards, of a process that was busy all the while: turns of the event loop without anybody new.
const quietTurns = 5
const maxTurns = 511 // so many wait for a port at most: Node's backlog

// Of a header that is under way when the service stops.
const headerMs = 2_000

/**
 * While the service stops, each answer ends its connection, so that none is waited for in vain; and
 * so does time where there is nothing to answer.
 */
export function closeConnectionsWhileDraining(
  app: FastifyInstance,
  connections: Connections,
): void {
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
    const timer = globalThis.setTimeout(() => connections.endUnanswered(), headerMs).unref()
    app.server.once('close', () => clearTimeout(timer))
  })
  // When it is sent, not when it was asked for: what was under way then would keep its connection.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close')
    done()
  })
}

/**
 * Resolves once a server has read what was sent to it before, so that none is closed with a request
 * on its way; at once where it does not listen. Node takes one connection per turn of its loop, and
 * closing the port would reset those that still wait to be taken.
 */
export async function untilRead(server: Server): Promise<void> {
  if (!server.listening) return
  let taken = 0
  server.on('connection', () => {
    taken += 1
  })
  await setTimeout(noticeMs)
  for (let turns = 0, quiet = 0; turns < maxTurns && quiet < quietTurns; turns += 1) {
    const before = taken
    await setImmediate()
    quiet = taken === before ? quiet + 1 : 0
  }
}
