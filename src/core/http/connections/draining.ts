import type { Server } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Connections } from './connections.ts'

// How long readiness reports 503 before the port closes.
const noticeMs = 250
// Turns of the event loop without a new connection until all are accepted.
const quietTurns = 5
const maxTurns = 511 // Node's accept backlog

// Time to finish a request header during shutdown.
export const headerMs = 2_000

/**
 * Idle connections would delay the shutdown: responses close their connections, and connections
 * without a request close after `headerMs`.
 */
export function closeConnectionsWhileDraining(
  app: FastifyInstance,
  connections: Connections,
): void {
  app.addHook('preClose', async () => {
    // Fastify closes the connections of later requests.
    connections.closeAfterAnswers()
    const timer = globalThis.setTimeout(() => connections.endUnanswered(), headerMs).unref()
    app.server.once('close', () => clearTimeout(timer))
  })
}

/**
 * Node accepts one connection per turn, and closing the port resets waiting connections. Resolves
 * when all are accepted.
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
