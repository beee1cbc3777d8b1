import type { Random } from '../../core/crypto/random.ts'
import { CommitRefused } from '../../core/database/errors.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Entry } from './make-record.ts'
import { ulid } from './ulid.ts'

/** Waiting events without a database change, in order. */
export interface EventQueue {
  enqueue(event: RecordedEvent): void
  /** Adds the rejection to the request's waiting events. */
  refused(requestId: string, status: number, reason: string | null): void
  /** Skips the latest events of unanswered requests. Waits for the database. Never throws. */
  run(): Promise<void>
  /** @throws DatabaseUnavailable; all events still wait */
  flush(): Promise<void>
  /** Waiting events, age of the first, lost events. */
  state(): QueueState
}

export interface QueueState {
  readonly waiting: number
  readonly oldestMs: number
  readonly lost: number
}

export interface EventQueueDeps {
  readonly clock: Clock
  readonly random: Random
  /**
   * In order, in one transaction. `mayBeThere`: skips existing entries, in case an earlier commit
   * succeeded unnoticed. @throws DatabaseUnavailable
   */
  readonly write: (entries: readonly Entry[], mayBeThere: boolean) => Promise<void>
  /** Called once when writes start to fail. */
  readonly failed: (error: unknown) => void
  /** Types of events that can never be recorded. */
  readonly dropped: (types: readonly string[], error: unknown) => void
  /** Called with the number of lost events when writes work again. */
  readonly hasLost: (count: number) => void
}

type Waiting = { -readonly [Name in keyof Entry]: Entry[Name] } & { isAnswered: boolean }

const maxWaiting = 10_000
const batchSize = 64
// An answer follows its events within milliseconds.
const answerWithinMs = 1000
const retryMs = 1000

export function createEventQueue(deps: EventQueueDeps): EventQueue {
  const { clock, random, write, failed, dropped, hasLost } = deps
  const waiting: Waiting[] = []
  const unanswered = new Map<string, Waiting[]>()
  let refusedNow: { requestId: string; status: number; reason: string | null } | undefined
  let lost = { sinceStart: 0, untold: 0 }
  let retryAt = 0
  let mayBeThere = false
  let last: Promise<void> = Promise.resolve()

  return {
    enqueue,

    refused(requestId, status, reason) {
      for (const entry of unanswered.get(requestId) ?? []) answer(entry, status, reason)
      // A later listener may emit an event for the same rejection.
      refusedNow = { requestId, status, reason }
      queueMicrotask(() => {
        refusedNow = undefined
      })
    },

    run() {
      if (clock.now() < retryAt) return Promise.resolve()
      return inTurn(() => writeWhile(isDue)).catch((error: unknown) => {
        if (retryAt === 0) failed(error)
        retryAt = clock.now() + retryMs
      })
    },

    flush: () => inTurn(() => writeWhile(() => true)),

    state: () => ({
      waiting: waiting.length,
      oldestMs: waiting[0] ? clock.now() - waiting[0].event.at : 0,
      lost: lost.sinceStart,
    }),
  }

  function enqueue(event: RecordedEvent): void {
    if (waiting.length >= maxWaiting) {
      lose(1)
      return
    }
    const { requestId, request } = event.context
    const entry: Waiting = {
      id: ulid(event.at, random),
      event,
      isAnswered: event.type.outcome === 'success' || requestId === null || request === null,
    }
    waiting.push(entry)
    if (entry.isAnswered || requestId === null) return
    if (refusedNow?.requestId === requestId) {
      answer(entry, refusedNow.status, refusedNow.reason)
    }
    const others = unanswered.get(requestId)
    if (others) others.push(entry)
    else unanswered.set(requestId, [entry])
  }

  function answer(entry: Waiting, status: number, reason: string | null): void {
    entry.status = status
    entry.reason = reason
    entry.isAnswered = true
  }

  function isDue({ event, isAnswered }: Waiting): boolean {
    return isAnswered || clock.now() - event.at >= answerWithinMs
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }

  async function writeWhile(due: (entry: Waiting) => boolean): Promise<void> {
    for (;;) {
      const end = waiting.slice(0, batchSize).findIndex((entry) => !due(entry))
      const batch = waiting.slice(0, end === -1 ? batchSize : end)
      if (batch.length === 0) return
      const hadFailed = mayBeThere
      mayBeThere = true
      try {
        await write(batch, hadFailed)
        waiting.splice(0, batch.length)
        left(batch)
      } catch (error) {
        if (!(error instanceof CommitRefused) || batch.length === 1) throw error
        await writeEach(batch, error)
      }
    }
  }

  /**
   * Retries a rejected batch one by one. Drops a rejected event if another succeeds, because it
   * would block the queue forever; otherwise all wait.
   */
  async function writeEach(batch: readonly Waiting[], refusal: CommitRefused): Promise<void> {
    const refusedOnes: Waiting[] = []
    for (const entry of batch) {
      mayBeThere = true
      try {
        await write([entry], true)
        waiting.splice(waiting.indexOf(entry), 1)
        left([entry])
      } catch (error) {
        if (!(error instanceof CommitRefused)) throw error
        refusedOnes.push(entry)
      }
    }
    if (refusedOnes.length === batch.length) throw refusal
    if (refusedOnes.length === 0) return
    lose(refusedOnes.length)
    const types = new Set(refusedOnes.map(({ event }) => event.type.name))
    dropped([...types], refusal)
    for (const entry of refusedOnes) waiting.splice(waiting.indexOf(entry), 1)
    left(refusedOnes)
  }

  function left(entries: readonly Waiting[]): void {
    mayBeThere = false
    retryAt = 0
    for (const { event } of entries) unanswered.delete(event.context.requestId ?? '')
    const { untold } = lost
    lost = { ...lost, untold: 0 }
    if (untold > 0) hasLost(untold)
  }

  function lose(count: number): void {
    lost = { sinceStart: lost.sinceStart + count, untold: lost.untold + count }
  }
}
