import { isatty } from 'node:tty'
import type { BatchOptions } from '../queues/batch-queue.ts'
import type { Counted } from './request-counts.ts'

/**
 * The processes of this service on this machine, as one of them sees the others: one, or as many as
 * WORKERS. docs/adr/0047
 */
export interface Workers {
  /** 0 for the one that also does what a service does once: jobs, the first administrator. */
  readonly index: number
  readonly count: number
  /** The process that all of them belong to. */
  readonly servicePid: number
  /** Whether this is the first start of this index, and not the replacement of one that ended. */
  readonly isFirstStart: boolean
  /** How the worker ended whose place this one takes; null for a first start. */
  readonly replaces: EndOfWorker | null
  /**
   * What the workers have kept with the primary, by name. A file that was broken while the service runs
   * must not keep the replacement of a worker from its start.
   */
  readonly kept: Readonly<Record<string, unknown>>
  /** Whether the output of the service is a terminal. */
  readonly isTerminal: boolean
  /** The file descriptor that takes the next line of the log. */
  outputFile(): number
  /** The share of this process in a limit of the machine: at least 1, and all together the limit. */
  share(total: number): number
  /** Limits that the processes share; null in a process that is alone, whose own limits are all. */
  readonly limits: SharedLimits | null
  /**
   * Asks every other process, and resolves to their answers. One that does not answer in time is
   * ended first, so that none goes on without having heard. One that still loads the service is not
   * asked: see `reading`.
   */
  askOthers(topic: string, data?: unknown): Promise<unknown[]>
  /**
   * Asks every other process too, and goes on without one that does not answer in time or cannot:
   * none is ended. See `createPoll`.
   */
  pollOthers(topic: string, data?: unknown): Promise<readonly Polled[]>
  /** Answers what the others ask about a topic. */
  onAsked(topic: string, answer: (data: unknown) => unknown): void
  /** Tells that this process has loaded the service, and kept what it has compiled for the others. */
  loaded(): Promise<void>
  /** Keeps what was read last under a name, for the replacement of a worker: see `kept`. */
  keep(name: string, value: unknown): void
  /** Tells, before this process first reads the database, that it must hear what is asked. */
  reading(): Promise<void>
  /**
   * Has the service hold the lock of a data directory for as long as it runs: see service-lock.ts.
   * @throws Error if a command has it
   */
  holdServiceLock(dataDirectory: string): Promise<void>
  /** Tells that this process listens; resolves when all do. */
  listening(): Promise<void>
  /** Tells that the start of the service is complete. */
  started(): Promise<void>
  /** Tells that this process ends because of a fault, which it has told of itself. */
  crashing(): Promise<void>
  /** Calls when the service stops, with the reason: a stop of all, or the loss of the primary. */
  onStop(stop: (reason: 'stop' | 'lost') => void): void
}

/**
 * The exit code of a process that finds a file of its SQLite database deleted or replaced, and of the
 * primary of such a process.
 */
export const replacedExitCode = 6

/** What a process answered to a poll; without `answer` if it did not. */
export interface Polled {
  readonly pid: number
  readonly answer?: unknown
}

/** How a worker ended: with an exit code, or by a signal. */
export interface EndOfWorker {
  readonly pid: number | null
  readonly code: number | null
  readonly signal: string | null
}

/** What the primary answers to a worker that joins: see `Workers`. */
export type Place = Pick<
  Workers,
  'index' | 'count' | 'isFirstStart' | 'isTerminal' | 'kept' | 'replaces'
>

/** The standard output of the service, for a worker whose primary is gone. */
export const serviceOutput = 4

/** Limits that are counted once for all processes. */
export interface SharedLimits {
  /** Counts a request of an address at `now`, epoch milliseconds. */
  countRequest(address: string, windowMs: number, now: number): Promise<Counted>
  /** Waits until a batch may be made. Its caller calls `leave` after it, whatever the answer. */
  enterBatch(
    options: BatchOptions,
  ): Promise<{ readonly answer: BatchAnswer; readonly leave: () => void }>
}

/** `refused`: too many wait. `gone`: the signal was aborted before its turn came. */
export type BatchAnswer = 'go' | 'refused' | 'gone'

/**
 * The signals that stop the service. SIGHUP is one of them at a terminal, where it says that the terminal
 * has closed; elsewhere it asks to read files anew.
 */
export function stopSignals({ isTerminal }: Pick<Workers, 'isTerminal'>): NodeJS.Signals[] {
  return isTerminal ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']
}

/** A process that is the whole service. */
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

/** The share of one process of several in a limit: see `Workers.share`. */
export function shareOf(total: number, { index, count }: Pick<Workers, 'index' | 'count'>): number {
  return Math.max(1, Math.floor(total / count) + (index < total % count ? 1 : 0))
}
