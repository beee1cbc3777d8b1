import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

const drainMs = 10_000
// npm forwards a signal that the terminal or the supervisor has sent to the whole process group:
// the same signal within this time is not a second one.
const sameSignalMs = 2_000

/**
 * Shuts down gracefully at SIGTERM and SIGINT: it accepts no new connection, answers every accepted
 * request and exits with 0. After a second signal, or after ten seconds, the process exits with 1
 * at once. An uncaught exception starts the same shutdown with exit code 1, because the state of
 * the process is unknown.
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
