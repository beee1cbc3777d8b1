import { isatty } from 'node:tty'
import type { BatchOptions } from '../queues/batch-queue.ts'
import type { Answers } from './peer.ts'
import type { Counted } from './request-counts.ts'
import type { BatchAnswer, Kept, Place, PollTopics, Topic, WorkerTopics } from './topics.ts'

/** The processes of this service on this machine, as seen by one process. docs/adr/0047 */
export interface Workers extends Place {
  /** The parent of all workers. */
  readonly servicePid: number
  /** For the next log line. */
  outputFile(): number
  /** At least 1; all shares together are the limit. */
  share(total: number): number
  /** Null for a single process. */
  readonly limits: SharedLimits | null
  /**
   * Asks all processes that listen, at most two seconds long: see `createPoll`. A process that was
   * busy answers late or never, so nothing that must be true at all processes may rest on it.
   */
  pollOthers<T extends keyof PollTopics>(
    topic: T,
    ...data: PollTopics[T]['data']
  ): Promise<readonly Polled<PollTopics[T]['answer']>[]>
  onAsked<T extends keyof WorkerTopics>(topic: T, answer: Answers<WorkerTopics>[T]): void
  /** Also fills the compile cache. */
  loaded(): Promise<void>
  /** For a replacement: see `kept`. */
  keep(kept: Kept): void
  /** See service-lock.ts. @throws Error if a command holds the lock */
  holdServiceLock(dataDirectory: string): Promise<void>
  /** Resolves when all processes listen. */
  listening(): Promise<void>
  started(): Promise<void>
  /** This process has logged a fault and ends. */
  crashing(): Promise<void>
  /** `lost`: the primary is gone. */
  onStop(stop: (reason: 'stop' | 'lost') => void): void
}

/** A file of the SQLite database was deleted or replaced; also used by the primary. */
export const replacedExitCode = 6

/** Without `answer` if none arrived. */
export interface Polled<Answer = unknown> {
  readonly pid: number
  readonly answer?: Answer | undefined
}

/** As the primary answers for the other workers. */
export type PolledTopics = {
  [T in keyof PollTopics]: Topic<PollTopics[T]['data'], readonly Polled<PollTopics[T]['answer']>[]>
}

/** For a worker whose primary is gone. */
export const serviceOutput = 4

export interface SharedLimits {
  /** `now`: epoch milliseconds. */
  countRequest(address: string, windowMs: number, now: number): Promise<Counted>
  /** The caller must call `leave` afterwards, whatever the answer. */
  enterBatch(
    options: BatchOptions,
  ): Promise<{ readonly answer: BatchAnswer; readonly leave: () => void }>
}

/** SIGHUP stops only at a terminal, which has closed; elsewhere SIGHUP reloads files. */
export function stopSignals({ isTerminal }: Pick<Workers, 'isTerminal'>): NodeJS.Signals[] {
  return isTerminal ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
}

export const soleProcess: Workers = {
  index: 0,
  count: 1,
  servicePid: process.pid,
  isFirstStart: true,
  replaces: null,
  kept: {},
  isTerminal: isatty(1),
  outputFile: () => 1,
  share: (total) => total,
  limits: null,
  pollOthers: async () => [],
  onAsked: () => {},
  loaded: async () => {},
  keep: () => {},
  async holdServiceLock(dataDirectory) {
    const { holdServiceLock } = await import('./service-lock.ts')
    holdServiceLock(dataDirectory)
  },
  listening: async () => {},
  started: async () => {},
  crashing: async () => {},
  onStop: () => {},
}

/** See `Workers.share`. */
export function shareOf(total: number, { index, count }: Pick<Workers, 'index' | 'count'>): number {
  return Math.max(1, Math.floor(total / count) + (index < total % count ? 1 : 0))
}
