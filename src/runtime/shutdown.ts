import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

const drainMs = 10_000
// npm passes on a signal that the terminal or the supervisor has sent to the whole group already.
const sameSignalMs = 2_000

/**
 * SIGTERM and SIGINT: no new connections, every accepted request is answered, exit 0. A second
 * signal, or ten seconds, end the process at once, with exit 1. What nobody caught ends it too,
 * and makes it exit 1 also while it drains: half-dead it would be worse than restarted.
 */
export function drainOnSignal(server: FastifyInstance, log: Logger): void {
  let signalledAt: number | undefined

  let exitCode: number | undefined

  const drain = async (code: 0 | 1) => {
    const isDraining = exitCode !== undefined
    exitCode = Math.max(code, exitCode ?? 0)
    if (isDraining) return
    setTimeout(() => process.exit(1), drainMs).unref()
    try {
      await server.close()
      log.info({ event: 'sys_shutdown' }, 'stopped')
      process.exit(exitCode)
    } catch (error) {
      log.fatal({ err: error }, 'could not stop')
      process.exit(1)
    }
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const now = performance.now()
      if (signalledAt === undefined) {
        signalledAt = now
        log.info({ signal }, 'stopping: accepted requests are answered first')
        void drain(0)
      } else if (now - signalledAt > sameSignalMs) {
        process.exit(1)
      }
    })
  }
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error) => {
      log.fatal({ err: error }, fault)
      void drain(1)
    })
  }
}
