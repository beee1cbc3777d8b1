import type { Counted } from './request-counts.ts'

// What the processes of a service ask each other.

/** Data and answer cross the channel as JSON. */
export interface Topic<Data extends readonly unknown[] = readonly unknown[], Answer = unknown> {
  readonly data: Data
  readonly answer: Answer
}

/** A worker asks the primary. */
export interface PrimaryTopics {
  /** Answered when this worker may load the service. */
  load: Topic<[], void>
  loaded: Topic<[], void>
  /** Answered when this worker may start. */
  join: Topic<[], Place>
  lock: Topic<[dataDirectory: string], void>
  /** Answered when all workers listen. */
  listening: Topic<[], void>
  started: Topic<[], void>
  crashing: Topic<[], void>
  keep: Topic<[kept: Kept], void>
  count: Topic<[CountRequest], Counted>
  batch: Topic<[BatchRequest], BatchAnswer>
  endBatch: Topic<[id: number], void>
  cancelBatch: Topic<[id: number], void>
}

/** The primary asks a worker. */
export interface WorkerTopics extends PollTopics {
  stop: Topic<[], void>
  /** Null: LOG_LEVEL. */
  'log level': Topic<[level: string | null], void>
  'read files': Topic<[], void>
}

/** A worker asks all others, through the primary. Modules add theirs. See `Workers.pollOthers`. */
// biome-ignore lint/suspicious/noEmptyInterface: modules declare their topics in it
export interface PollTopics {}

/** What a worker learns at its start. */
export interface Place {
  /** 0 also runs jobs and creates the first administrator. */
  readonly index: number
  readonly count: number
  /** False for a replacement. */
  readonly isFirstStart: boolean
  /** Null for a first start. */
  readonly replaces: EndOfWorker | null
  /** Values kept with the primary. */
  readonly kept: Kept
  /** Whether the service writes to a terminal. */
  readonly isTerminal: boolean
}

export interface EndOfWorker {
  readonly pid: number | null
  readonly code: number | null
  readonly signal: string | null
}

/** A replacement must start even if a file has become invalid. `KeptFiles` are added. */
export interface Kept {
  /** Absent: LOG_LEVEL. */
  'log level'?: string
}

export interface CountRequest {
  readonly address: string
  readonly windowMs: number
  /** Epoch milliseconds. */
  readonly now: number
}

export interface BatchRequest {
  readonly id: number
  readonly caller: string
  readonly mayBeRefused: boolean
}

/** `refused`: the queue is full. `gone`: the signal was aborted. */
export type BatchAnswer = 'go' | 'refused' | 'gone'
