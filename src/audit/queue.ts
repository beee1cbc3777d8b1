import { throttledAddress } from '../addresses/address.ts'
import { FloodBound } from '../bounded/flood-bound.ts'
import type { RecordedEvent } from '../events/events.ts'
import type { EventType } from '../events/types.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { auditRecordsLost } from './events.ts'
import type { Entry } from './make-record.ts'
import { ulid } from './ulid.ts'

/** Events without a change on their way into the log, in the order in which they were told. */
export interface ToldQueue {
  tell(event: RecordedEvent): void
  /** Notes how a request was refused; its events that still wait are recorded so. */
  refused(requestId: string, status: number, reason: string | null): void
  /**
   * Records what waits, but for the last events of requests that have no answer yet. While the
   * database is away everything waits. Resolves without an error.
   */
  run(): Promise<void>
  /** Records everything that waits, and the counts of the minute under way. @throws as `write` */
  flush(): Promise<void>
  /** How many events wait, how long the first has waited, and how many were lost since the start. */
  state(): QueueState
}

export interface QueueState {
  readonly waiting: number
  readonly oldestMs: number
  readonly lost: number
}

export interface ToldQueueDeps {
  readonly clock: Clock
  readonly random: Random
  /** Records entries in one transaction, in their order. @throws DatabaseUnavailable */
  readonly write: (entries: readonly Entry[]) => Promise<void>
  /** Called once when the database stops to take records. */
  readonly failed: (error: unknown) => void
}

type Waiting = { -readonly [Name in keyof Entry]: Entry[Name] } & { isAnswered: boolean }

const maxWaiting = 10_000
const batchSize = 64
const maxSources = 10_000
// An answer follows its events within milliseconds, or there is none.
const answerWithinMs = 1000
const retryMs = 1000

export function createToldQueue({ clock, random, write, failed }: ToldQueueDeps): ToldQueue {
  const waiting: Waiting[] = []
  const unanswered = new Map<string, Waiting[]>()
  const types = new Map<string, EventType>() // of events that are counted
  let refusedNow: { requestId: string; status: number; reason: string | null } | undefined
  let lost = { sinceStart: 0, untold: 0 }
  let retryAt = 0
  let last: Promise<void> = Promise.resolve()

  const flood = new FloodBound({
    maxSources,
    onCounted({ source, kind, count, since }) {
      const type = types.get(kind)
      if (type)
        enqueue({ type, payload: {}, context: ofSource(source), at: clock.now() }, { count, since })
    },
  })

  return {
    tell(event) {
      const { type, context, at } = event
      if (type.outcome === 'failure' && context.address !== null) {
        types.set(type.name, type)
        if (!flood.admits(throttledAddress(context.address), type.name, at)) return
      }
      enqueue(event)
    },

    refused(requestId, status, reason) {
      for (const entry of unanswered.get(requestId) ?? []) answer(entry, status, reason)
      // A listener that hears of the refusal after this one may tell an event of it.
      refusedNow = { requestId, status, reason }
      queueMicrotask(() => {
        refusedNow = undefined
      })
    },

    run() {
      flood.tellEnded(clock.now())
      if (clock.now() < retryAt) return Promise.resolve()
      return inTurn(() => writeWhile(isDue)).catch((error: unknown) => {
        if (retryAt === 0) failed(error)
        retryAt = clock.now() + retryMs
      })
    },

    flush() {
      flood.tellAll()
      return inTurn(() => writeWhile(() => true))
    },

    state: () => ({
      waiting: waiting.length,
      oldestMs: waiting[0] ? clock.now() - waiting[0].event.at : 0,
      lost: lost.sinceStart,
    }),
  }

  function enqueue(event: RecordedEvent, counted?: Entry['counted']): void {
    if (waiting.length >= maxWaiting) {
      lost = { sinceStart: lost.sinceStart + 1, untold: lost.untold + 1 }
      return
    }
    const { requestId, request } = event.context
    const entry: Waiting = {
      id: ulid(event.at, random),
      event,
      isAnswered: event.type.outcome === 'success' || requestId === null || request === null,
      ...(counted && { counted }),
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

  /** Writes from the front while entries are due, a batch after the other. */
  async function writeWhile(due: (entry: Waiting) => boolean): Promise<void> {
    for (;;) {
      const end = waiting.slice(0, batchSize).findIndex((entry) => !due(entry))
      const batch = waiting.slice(0, end === -1 ? batchSize : end)
      if (batch.length === 0) return
      const { untold } = lost
      await write(untold > 0 ? [...batch, lossOf(untold)] : batch)
      retryAt = 0
      lost = { ...lost, untold: lost.untold - untold }
      waiting.splice(0, batch.length)
      for (const { event } of batch) unanswered.delete(event.context.requestId ?? '')
    }
  }

  function lossOf(count: number): Entry {
    const at = clock.now()
    const event = {
      type: auditRecordsLost as EventType,
      payload: { count },
      context: noContext,
      at,
    }
    return { id: ulid(at, random), event }
  }
}

const noContext = { by: null, address: null, scheme: null, requestId: null, request: null }

function ofSource(source: string | null) {
  return { ...noContext, address: source }
}
