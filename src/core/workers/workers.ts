import { isatty } from 'node:tty'
import type { BatchOptions } from '../queues/batch-queue.ts'
import type { Counted } from './request-counts.ts'

/** The processes of this service on this machine, as seen by one process. docs/adr/0047 */
export interface Workers {
  /** 0 also runs jobs and creates the first administrator. */
  readonly index: number
  readonly count: number
  /** The parent of all workers. */
  readonly servicePid: number
  /** False for a replacement. */
  readonly isFirstStart: boolean
  /** Null for a first start. */
  readonly replaces: EndOfWorker | null
  /** Values kept with the primary: a replacement must start even if a file has become invalid. */
  readonly kept: Readonly<Record<string, unknown>>
  /** Whether the service writes to a terminal. */
  readonly isTerminal: boolean
  /** For the next log line. */
  outputFile(): number
  /** At least 1; all shares together are the limit. */
  share(total: number): number
  /** Null for a single process. */
  readonly limits: SharedLimits | null
  /**
   * A process without an answer in time is ended, so that none continues with stale data. Skips
   * processes that are still loading: see `reading`.
   */
  askOthers(topic: string, data?: unknown): Promise<unknown[]>
  /** Like `askOthers`, but ends no process: see `createPoll`. */
  pollOthers(topic: string, data?: unknown): Promise<readonly Polled[]>
  onAsked(topic: string, answer: (data: unknown) => unknown): void
  /** Also fills the compile cache. */
  loaded(): Promise<void>
  /** For a replacement: see `kept`. */
  keep(name: string, value: unknown): void
  /** Call before the first read of the database: then this process must receive changes. */
  reading(): Promise<void>
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
export interface Polled {
  readonly pid: number
  readonly answer?: unknown
}

export interface EndOfWorker {
  readonly pid: number | null
  readonly code: number | null
  readonly signal: string | null
}

export type Place = Pick<
  Workers,
  'index' | 'count' | 'isFirstStart' | 'isTerminal' | 'kept' | 'replaces'
>

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

/** `refused`: the queue is full. `gone`: the signal was aborted. */
export type BatchAnswer = 'go' | 'refused' | 'gone'

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
  askOthers: async () => [],
  pollOthers: async () => [],
  onAsked: () => {},
  loaded: async () => {},
  keep: () => {},
  reading: async () => {},
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
