import type { Logger } from 'pino'
import type { DatabaseOrTransaction } from '../database/database.ts'
import { afterCommit } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import { currentContext, currentTrace, type EventContext } from './context.ts'
import type { EventType, Payload } from './types.ts'

/** An event with its payload, its context and its time. */
export interface RecordedEvent {
  readonly type: EventType
  readonly payload: Payload
  readonly context: EventContext
  /** Epoch milliseconds. */
  readonly at: number
}

/** The receivers of events. */
export interface Sinks {
  /** Each runs in the transaction of the change; an exception rolls the change back. */
  readonly inside: readonly InsideSink[]
  /** Each runs after the commit; an exception is logged, and the change stays. */
  readonly afterCommit: readonly AfterCommitSink[]
}

export type InsideSink = (trx: DatabaseOrTransaction, event: RecordedEvent) => Promise<void>
/** The service does not wait for its promise. */
export type AfterCommitSink = (event: RecordedEvent) => Promise<void> | void

export interface Events {
  /**
   * Records a change in its transaction. After a rollback nothing is delivered to the sinks after
   * the commit; after several attempts it is delivered once.
   * @throws Error outside a transaction; and what a sink inside the transaction throws
   */
  record<P extends Payload>(
    trx: DatabaseOrTransaction,
    type: EventType<P>,
    payload: NoInfer<P>,
  ): Promise<void>
  /** Delivers an event that changes nothing, such as a refusal, at once. */
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

/** Logs a line per event: its name as `event`, its payload, its context and the trace it is part of. */
export function logSink(log: Logger): AfterCommitSink {
  return ({ type, payload, context: { by, address, scheme, requestId } }) => {
    const { name } = type
    const level = type.level === 'critical' ? 'error' : type.level
    if (!log.isLevelEnabled(level)) return // a line is made only for a log that takes it
    const trace_id = currentTrace()?.traceId ?? null
    const known = Object.entries({ by, address, scheme, request_id: requestId, trace_id }).filter(
      ([, value]) => value !== null,
    )
    log[level]({ event: name, ...payload, ...Object.fromEntries(known) })
  }
}
