import type { Worker } from 'node:cluster'
import type { Peer } from './peer.ts'
import type { Poll } from './poll.ts'
import type { EndOfWorker, PollTopics, WorkerTopics } from './topics.ts'

/** The place of one worker, which a replacement takes over. */
export interface Slot {
  readonly index: number
  /** Absent between a worker and its replacement. */
  running?: Running | undefined
  starts: number
  replaces: EndOfWorker | null
  /** Consecutive workers that failed at start. */
  early: number
  /** Of the replacement. */
  timer?: NodeJS.Timeout
}

/** One process. */
export interface Running {
  readonly worker: Worker
  readonly peer: Peer<WorkerTopics>
  readonly poll: Poll<PollTopics>
  readonly bornAt: number
  isListening: boolean
  /** Stopped before listening. */
  isCut: boolean
  /** It has logged why it ends. */
  hasTold: boolean
}

export function emptySlots(count: number): readonly Slot[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    starts: 0,
    replaces: null,
    early: 0,
  }))
}

export function runningOf(slots: readonly Slot[]): Running[] {
  return slots.flatMap(({ running }) => running ?? [])
}

export function killAll(slots: readonly Slot[]): void {
  for (const { worker } of runningOf(slots)) worker.process.kill('SIGKILL')
}
