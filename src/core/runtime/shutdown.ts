import type { FastifyInstance } from 'fastify'
import { replacedExitCode, soleProcess, stopSignals, type Workers } from '../workers/workers.ts'
import type { Deps } from './deps.ts'
import { crash } from './events.ts'

const drainMs = 10_000
/** Time for monitoring and the console, which polls every ten seconds, to read the reason. */
const reportMs = 12_000
// npm forwards a signal that the process group already received: ignore the repetition.
const sameSignalMs = 2_000

export interface Stopping {
  isStopping(): boolean
  /** Stops because of its own fault. */
  isCrash(): boolean
  /**
   * Exits without closing the SQLite database, with a separate exit code. Monitoring has twelve
   * seconds to read why, unless stopped.
   */
  filesReplaced(path: string): void
}

/**
 * Graceful shutdown at SIGTERM, SIGINT, and SIGHUP of a closed terminal: accepts no connections,
 * answers accepted requests, exits with 0. Exits with 1 at once after a second signal or ten
 * seconds. An uncaught exception does the same with code 1: the state is unknown. The primary
 * forwards signals to workers, which stop without it. A stop during startup waits for `begun`:
 * half-started parts would report false errors.
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

  /** A replaced database was not closed, or made the stop fail. */
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
