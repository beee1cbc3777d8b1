import type { Logger } from 'pino'
import { afterCommit } from '../database/commit.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Clock } from '../lib/clock.ts'
import { currentContext, currentTrace, type EventContext } from './context.ts'
import { boundedRefusals } from './refusals.ts'
import type { EventType, Payload } from './types.ts'

/** An event with its payload, its context and its time. */
export interface RecordedEvent {
  readonly type: EventType
  readonly payload: Payload
  readonly context: EventContext
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * What was typed as a username, in canonical form. Only the audit log gets it, and keeps a keyed
   * digest if no account has the name: users type passwords into the wrong field.
   */
  readonly typed?: string | null
  readonly login?: LoginFacts
  /** How the request is refused that this event is recorded for, which is answered later. */
  readonly refusal?: { readonly status: number; readonly reason: string }
  /**
   * Whether it concerns a person must not be learnt from the time that its record takes: it costs the
   * same statements with and without one, whatever this process remembers of the person.
   */
  readonly hidesPerson?: boolean
  /** The names of the keys of persons that this change erases. The record is the proof of the erasure. */
  readonly closed?: readonly string[]
  /** Set if an earlier version erased the keys: the number of the last record of that version. */
  readonly unlisted?: { readonly closed: readonly string[]; readonly through: number }
}

/** The fields of an event that only the audit log receives. */
export type ForAudit = Pick<
  RecordedEvent,
  'typed' | 'login' | 'refusal' | 'hidesPerson' | 'closed' | 'unlisted'
>

/** A login that begins or ends, or goes on in a new token: no credential of the request names it. */
export interface LoginFacts {
  /** The username of the account, in canonical form. */
  readonly username?: string
  /** RFC 8176. */
  readonly factors?: readonly string[]
  /** The digest under which the session is stored. */
  readonly session?: string
  /** The `jti` of the access token, of which a digest is recorded. */
  readonly jti?: string
}

/** The audit log, which keeps every event. */
export interface AuditSink {
  /** Records an event with the change that the transaction makes: both are committed, or neither. */
  record(trx: DatabaseOrTransaction, event: RecordedEvent): void
  /** Takes an event that changes nothing, and records it soon. */
  enqueue(event: RecordedEvent): void
}

/** The receivers of events. */
export interface Sinks {
  /** Each runs in the transaction of the change; an exception rolls the change back. */
  readonly inside: readonly InsideSink[]
  /** Each runs after the commit; an exception is logged, and the change stays. */
  readonly afterCommit: readonly AfterCommitSink[]
  /** The same, but for a flood of refusals, of which these get a count: see `boundedRefusals`. */
  readonly bounded?: readonly AfterCommitSink[]
}

export type InsideSink = (trx: DatabaseOrTransaction, event: RecordedEvent) => Promise<void>
export interface InsideReceiver {
  readonly names: readonly string[]
  readonly take: InsideSink
}

/** The service does not wait for its promise. */
export type AfterCommitSink = (event: RecordedEvent) => Promise<void> | void

export interface Events {
  /**
   * Records a change in its transaction. After a rollback nothing is delivered to the sinks after
   * the commit; after several attempts it is delivered once.
   * @throws Error outside a transaction, or without an audit log: no change is committed without its
   * record; and what a sink inside the transaction throws
   */
  emitInTransaction<P extends Payload>(
    trx: DatabaseOrTransaction,
    type: EventType<P>,
    payload: NoInfer<P>,
    forAudit?: ForAudit,
  ): Promise<void>
  /**
   * Delivers an event that changes nothing, such as a refusal, at once; of a flood of refusals the
   * log and the audit log get a count. The audit log gets those from before its time when it is
   * attached.
   */
  emit<P extends Payload>(type: EventType<P>, payload: NoInfer<P>, forAudit?: ForAudit): void
  /** Sets the audit log of this process; it can only be made when the database is known. */
  attach(audit: AuditSink): void
  /** Sets the receivers inside transactions, each for events of some names alone. */
  inside(receivers: readonly InsideReceiver[]): void
  /** Delivers the counts of floods whose minute is over, or all of them. */
  emitCounts(atOnce?: 'atOnce'): void
}

// Before the audit log is attached, in a process that may never have one.
const maxEarly = 1000

export interface EventsDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly sinks: Sinks
}

export function createEvents({ clock, log, sinks }: EventsDeps): Events {
  let audit: AuditSink | undefined
  let early: RecordedEvent[] = []
  // By name, so that an event that no module waits for costs one look.
  let insideByName = new Map<string, InsideSink[]>()

  const happened = (type: EventType, payload: Payload, forAudit: ForAudit = {}): RecordedEvent => ({
    type,
    payload,
    context: currentContext(),
    at: clock.now(),
    ...forAudit,
  })

  const deliver = (event: RecordedEvent): void => {
    for (const sink of sinks.afterCommit) void deliverTo(sink, event)
  }
  const deliverBounded = (event: RecordedEvent): void => {
    for (const sink of sinks.bounded ?? []) void deliverTo(sink, event)
  }

  async function deliverTo(sink: AfterCommitSink, event: RecordedEvent): Promise<void> {
    try {
      await sink(event)
    } catch (error) {
      log.error({ err: error, untold: event.type.name }, 'a sink failed to take an event')
    }
  }

  async function emitInTransaction(
    trx: DatabaseOrTransaction,
    type: EventType,
    payload: Payload,
    forAudit: ForAudit | undefined,
  ) {
    const event = happened(type, payload, forAudit)
    afterCommit(trx, () => {
      deliver(event)
      deliverBounded(event)
    })
    if (!audit) throw new Error(`the event ${type.name} has no audit log that records it`)
    audit.record(trx, event)
    for (const sink of sinks.inside) await sink(trx, event)
    for (const take of insideByName.get(type.name) ?? []) await take(trx, event)
  }

  function emit(event: RecordedEvent): void {
    deliver(event)
    if (refusals.admits(event)) emitBounded(event)
  }

  function emitBounded(event: RecordedEvent): void {
    deliverBounded(event)
    if (audit) audit.enqueue(event)
    else if (early.length < maxEarly) early.push(event)
  }

  const refusals = boundedRefusals(clock, emitBounded)
  return {
    emitInTransaction: (trx, type, payload, forAudit) =>
      emitInTransaction(trx, type as EventType, payload, forAudit),
    emit: (type, payload, forAudit) => emit(happened(type as EventType, payload, forAudit)),
    attach(given) {
      audit = given
      for (const event of early) audit.enqueue(event)
      early = []
    },
    inside(receivers) {
      const wanted = receivers.flatMap(({ names, take }) => names.map((name) => ({ name, take })))
      const byName = Map.groupBy(wanted, ({ name }) => name)
      insideByName = new Map([...byName].map(([name, all]) => [name, all.map(({ take }) => take)]))
    },
    emitCounts: refusals.emitCounts,
  }
}

export interface LogSinkOptions {
  /** Whether a line that names a person has the network address. */
  readonly logsAddresses: boolean
}

/** Logs a line per event: its name as `event`, its payload without a username, its context and the trace it is part of. */
export function logSink(
  log: Logger,
  { logsAddresses }: LogSinkOptions = { logsAddresses: true },
): AfterCommitSink {
  return ({ type, payload, context: { by, address: of, scheme, requestId } }) => {
    const { name, message } = type
    const level = type.level === 'critical' ? 'error' : type.level
    if (!log.isLevelEnabled(level)) return // a line is made only for a log that takes it
    const trace_id = requestId === null ? null : (currentTrace()?.traceId ?? null)
    // A person stands in the log by the id alone: an erasure cannot reach the lines of a log.
    const { username: _, network = null, ...ids } = payload
    const addresses =
      logsAddresses || !namesPerson(by, payload) ? { network, address: of } : undefined
    const context = { by, ...addresses, scheme, request_id: requestId, trace_id }
    const known = Object.entries(context).filter(([, value]) => value !== null)
    log[level]({ event: name, ...ids, ...Object.fromEntries(known) }, message ?? undefined)
  }
}

const noPerson = /^(?:cli|bootstrap|job|client:.*)$/

/** Whether an event names a user, or was caused by a person. */
function namesPerson(by: string | null, { user_id, username }: Payload): boolean {
  return (by !== null && !noPerson.test(by)) || (user_id ?? username ?? null) !== null
}
