import type { Logger } from 'pino'
import { soleProcess, stopSignals, type Workers } from '../workers/workers.ts'

/** What signals change while the service runs. With WORKERS the primary has them, and tells each worker. */
export interface SignalsDeps {
  readonly log: Logger
  /** Reads anew, at once, the files that are looked at from time to time. Never throws. */
  readonly readFiles: () => Promise<void>
  readonly workers?: Pick<Workers, 'count' | 'isTerminal' | 'kept' | 'onAsked'>
}

/**
 * SIGUSR2 changes the level of the log to `debug`, and back to LOG_LEVEL at the next one. SIGHUP reads files
 * anew: certificate, clients, rules, master key. Neither ends the process, but SIGHUP at a terminal does, which
 * has closed then: see `stopSignals`.
 */
export function followSignals({ log, readFiles, workers = soleProcess }: SignalsDeps): void {
  const configured = log.level
  const setLevel = (level: string | null) => {
    log.level = level ?? configured
  }
  if (workers.count > 1) {
    // That of a replacement is the one that the others have now.
    setLevel((workers.kept['log level'] as string | undefined) ?? null)
    workers.onAsked('log level', (level) => setLevel(level as string | null))
    workers.onAsked('read files', readFiles)
    return
  }
  process.on('SIGUSR2', () => {
    const isDebug = log.level === 'debug' && configured !== 'debug'
    if (!isDebug) setLevel('debug')
    const shown = isDebug ? configured : 'debug'
    log.info({ signal: 'SIGUSR2', log_level: shown }, 'the level of the log is changed')
    if (isDebug) setLevel(null)
  })
  if (stopSignals(workers).includes('SIGHUP')) return
  process.on('SIGHUP', () => {
    log.info({ signal: 'SIGHUP' }, 'files are read anew')
    void readFiles()
  })
}
