import type { Logger } from 'pino'
import type { DatabaseOrTransaction } from '../database/database.ts'
import { afterCommit } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import { currentContext, type EventContext } from './context.ts'
import type { EventType, Payload } from './types.ts'

/** What happened, to whom, by whom and when. */
export interface RecordedEvent {
  readonly type: EventType
  readonly payload: Payload
  readonly context: EventContext
  /** Epoch milliseconds. */
  readonly at: number
}

/** Where events go. */
export interface Sinks {
  /** Each writes by the transaction of the change; an exception undoes the change. */
  readonly inside: readonly InsideSink[]
  /** Each is told once the change is committed; an exception is logged, and the change stands. */
  readonly afterCommit: readonly AfterCommitSink[]
}

export type InsideSink = (trx: DatabaseOrTransaction, event: RecordedEvent) => Promise<void>
/** Nothing waits for what it answers. */
export type AfterCommitSink = (event: RecordedEvent) => Promise<void> | void

export interface Events {
  /**
   * Records a change in the transaction that makes it: nothing is told of one that is undone, and
   * of one that is begun anew it is told once. @throws Error outside a transaction, and as the sinks
   */
  record<P extends Payload>(
    trx: DatabaseOrTransaction,
    type: EventType<P>,
    payload: NoInfer<P>,
  ): Promise<void>
  /** Tells at once of what changes nothing, such as a refusal. */
  tell<P extends Payload>(type: EventType<P>, payload: NoInfer<P>): void
}

export interface EventsDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly sinks: Sinks
}

export function createEvents({ clock, log, sinks }: EventsDeps): Events {
  const happened = (type: EventType, payload: Payload): RecordedEvent => ({
    type,
    payload,
    context: currentContext(),
    at: clock.now(),
  })

  const deliver = (event: RecordedEvent): void => {
    for (const sink of sinks.afterCommit) void deliverTo(sink, event)
  }

  async function deliverTo(sink: AfterCommitSink, event: RecordedEvent): Promise<void> {
    try {
      await sink(event)
    } catch (error) {
      log.error({ err: error, untold: event.type.name }, 'a sink failed to take an event')
    }
  }

  async function record(trx: DatabaseOrTransaction, type: EventType, payload: Payload) {
    const event = happened(type, payload)
    afterCommit(trx, () => deliver(event))
    for (const sink of sinks.inside) await sink(trx, event)
  }

  return {
    record: (trx, type, payload) => record(trx, type as EventType, payload),
    tell: (type, payload) => deliver(happened(type as EventType, payload)),
  }
}

/** One line per event, with its name in `event` and what its context knows. */
export function logSink(log: Logger): AfterCommitSink {
  return ({ type: { name, level }, payload, context: { requestId, ...context } }) => {
    const known = Object.entries({ ...context, request_id: requestId }).filter(
      ([, value]) => value !== null,
    )
    log[level]({ event: name, ...payload, ...Object.fromEntries(known) })
  }
}
