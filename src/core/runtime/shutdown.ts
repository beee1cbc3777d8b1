import type { FastifyInstance } from 'fastify'
import { replacedExitCode, soleProcess, stopSignals, type Workers } from '../workers/workers.ts'
import type { Deps } from './deps.ts'
import { crash } from './events.ts'

const drainMs = 10_000
/** For how long monitoring and the console, which asks every ten seconds, can read the reason of the end. */
const reportMs = 12_000
// npm forwards a signal that the terminal or the supervisor has sent to the whole process group:
// the same signal within this time is not a second one.
const sameSignalMs = 2_000

/** How the process stops. */
export interface Stopping {
  /** Whether it has begun to. */
  isStopping(): boolean
  /** Whether it stops because of a fault of its own. */
  isCrash(): boolean
  /**
   * Ends the process because a file of its SQLite database was replaced, with an exit code of its own
   * and without closing the database. Monitoring has twelve seconds to read why; a stop ends it at once.
   */
  filesReplaced(path: string): void
}

/**
 * Shuts down gracefully at SIGTERM and SIGINT, and at SIGHUP if its terminal closes: it accepts no new connection, answers every accepted
 * request and exits with 0. After a second signal, or after ten seconds, the process exits with 1
 * at once. An uncaught exception starts the same shutdown with exit code 1, because the state of
 * the process is unknown. Of several workers the primary has the signals, and tells each worker to
 * stop; without their primary they stop by themselves. A stop during the start waits until `begun`
 * resolves: what is closed half-way would fail, and say so as if the start had.
 */
export function drainOnSignal(
  server: FastifyInstance,
  { databaseFiles, log, events }: Pick<Deps, 'databaseFiles' | 'events' | 'log'>,
  workers: Workers = soleProcess,
  begun: Promise<unknown> = Promise.resolve(),
): Stopping {
  let signalledAt: number | undefined

  let exitCode: number | undefined
  let isCrash = false
  let isReplaced = false

  const drain = async (code: 0 | 1) => {
    if (isReplaced) process.exit(replacedExitCode)
    const isDraining = exitCode !== undefined
    exitCode = Math.max(code, exitCode ?? 0)
    if (isDraining) return
    setTimeout(() => process.exit(1), drainMs).unref()
    try {
      await begun
      await server.close()
      exit(exitCode)
    } catch (error) {
      log.fatal({ err: error }, 'could not stop')
      exit(1)
    }
  }

  /** A database whose files were replaced was not closed, or has let the stop fail. */
  const exit = (code: number) => {
    const path = databaseFiles?.replaced()
    if (path) filesReplaced(path)
    process.exit(code)
  }

  const filesReplaced = (path: string) => {
    if (isReplaced) return
    isReplaced = true
    const fields = { file: path, exit_code: replacedExitCode }
    log.fatal(fields, 'a file of the database was replaced: nothing is written any more')
    events.emit(crash, { reason: 'databaseReplaced' })
    isCrash = true
    void workers.crashing()
    if (exitCode !== undefined) process.exit(replacedExitCode)
    setTimeout(() => process.exit(replacedExitCode), reportMs)
  }

  workers.onStop((reason) => {
    if (reason === 'stop') return drain(0)
    log.error(
      { worker: workers.index },
      'the primary process is gone: accepted requests are answered',
    )
    return drain(1)
  })
  for (const signal of workers.count > 1 ? [] : stopSignals(workers)) {
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
      if (!isCrash) events.emit(crash, { reason: fault })
      isCrash = true
      void workers.crashing()
      void drain(1)
    })
  }
  return { isStopping: () => exitCode !== undefined, isCrash: () => isCrash, filesReplaced }
}
