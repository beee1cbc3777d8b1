import type { Logger } from 'pino'
import { soleProcess, stopSignals, type Workers } from '../workers/workers.ts'

/** With WORKERS, the primary handles signals and tells the workers. */
export interface SignalsDeps {
  readonly log: Logger
  /** Reads watched files now. Never throws. */
  readonly readFiles: () => Promise<void>
  readonly workers?: Pick<Workers, 'count' | 'isTerminal' | 'kept' | 'onAsked'>
}

/**
 * SIGUSR2 toggles log level `debug` and LOG_LEVEL. SIGHUP reads certificate, clients, rules and
 * master key again; from a closed terminal it stops the process: see `stopSignals`.
 */
export function followSignals({ log, readFiles, workers = soleProcess }: SignalsDeps): void {
  const configured = log.level
  const setLevel = (level: string | null) => {
    log.level = level ?? configured
  }
  if (workers.count > 1) {
    // A replacement worker takes the current level.
    setLevel(workers.kept['log level'] ?? null)
    workers.onAsked('log level', setLevel)
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
