import type { PrimaryLog } from './log.ts'
import { runningOf, type Slot } from './slot.ts'
import type { Kept } from './topics.ts'

interface LevelDeps extends PrimaryLog {
  readonly slots: readonly Slot[]
  /** Later workers take the level from it. */
  readonly kept: Kept
  readonly logLevel: string | undefined
}

/** SIGUSR2 changes the level of all processes: see `followSignals`. */
export function followLogLevel({ slots, kept, log, toggle, logLevel }: LevelDeps): void {
  const tell = (level: string) => {
    log('info', { signal: 'SIGUSR2', log_level: level }, 'the level of the log is changed')
  }
  process.on('SIGUSR2', () => {
    const isDebug = kept['log level'] !== undefined
    if (isDebug) tell(logLevel || 'info') // before the change: LOG_LEVEL may suppress the line
    const level = toggle()
    if (isDebug) delete kept['log level']
    else {
      kept['log level'] = level
      tell(level)
    }
    for (const { peer } of runningOf(slots)) {
      peer.ask('log level', kept['log level'] ?? null).catch(() => {})
    }
  })
}
