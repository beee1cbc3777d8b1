import type { Server } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Connections } from './connections.ts'

// How long readiness answers 503 before the port is closed.
const noticeMs = 250
// How many turns of the event loop without a new connection mean that all have been accepted.
const quietTurns = 5
const maxTurns = 511 // Node's backlog: at most so many connections wait to be accepted

// How long a client may take to finish a header that it has begun when the service stops.
export const headerMs = 2_000

/**
 * While the service stops, each answer closes its connection; connections without a request to
 * answer are closed after `headerMs`. Otherwise idle connections would delay the stop.
 */
export function closeConnectionsWhileDraining(
  app: FastifyInstance,
  connections: Connections,
): void {
  app.addHook('preClose', async () => {
    // Fastify closes the connections of requests that begin from here on.
    connections.closeAfterAnswers()
    const timer = globalThis.setTimeout(() => connections.endUnanswered(), headerMs).unref()
    app.server.once('close', () => clearTimeout(timer))
  })
}

/**
 * Resolves when a server has accepted the connections that wait for it; at once if it does not
 * listen. Node accepts one connection per turn of its event loop, and closing the port resets those
 * that still wait.
 */
export async function untilRead(server: Server): Promise<void> {
  if (!server.listening) return
  let accepted = 0
  server.on('connection', () => {
    accepted += 1
  })
  await setTimeout(noticeMs)
  for (let turns = 0, quiet = 0; turns < maxTurns && quiet < quietTurns; turns += 1) {
    const before = accepted
    await setImmediate()
    quiet = accepted === before ? quiet + 1 : 0
  }
}
