import type { Logger } from 'pino'
import { afterCommit } from '../database/commit.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Clock } from '../lib/clock.ts'
import { currentContext, currentTrace, type EventContext } from './context.ts'
import { boundedRefusals } from './refusals.ts'
import type { EventType, Payload } from './types.ts'

export interface RecordedEvent {
  readonly type: EventType
  readonly payload: Payload
  readonly context: EventContext
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * The typed username, canonical. Only for the audit log, which keeps a keyed digest if no account
   * has the name: users type passwords into the wrong field.
   */
  readonly typed?: string | null
  readonly login?: LoginFacts
  /** The later rejection of the request. */
  readonly refusal?: { readonly status: number; readonly reason: string }
  /**
   * Timing must not reveal whether a person is concerned: the same statements run with and without
   * a person, independent of caches.
   */
  readonly hidesPerson?: boolean
  /** The transaction has inserted the user, so no other transaction has made a key for the person. */
  readonly isNewPerson?: boolean
  /** Keys of persons erased by this change. The record proves the erasure. */
  readonly closed?: readonly string[]
  /** Set if an earlier version erased the keys: its last record number. */
  readonly unlisted?: { readonly closed: readonly string[]; readonly through: number }
}

/** Only the audit log receives these. */
export type ForAudit = Pick<
  RecordedEvent,
  'typed' | 'login' | 'refusal' | 'hidesPerson' | 'isNewPerson' | 'closed' | 'unlisted'
>

/** A login that begins, ends or continues in a new token, without credentials. */
export interface LoginFacts {
  /** Canonical form. */
  readonly username?: string
  /** RFC 8176. */
  readonly factors?: readonly string[]
  /** The stored session digest. */
  readonly session?: string
  /** Recorded as a digest. */
  readonly jti?: string
}

export interface AuditSink {
  /** Commits with the change. */
  record(trx: DatabaseOrTransaction, event: RecordedEvent): void
  /** Records soon, for events without a change. */
  enqueue(event: RecordedEvent): void
}

export interface Sinks {
  /** Run in the transaction of the change; an exception rolls back. */
  readonly inside: readonly InsideSink[]
  /** Run after commit; exceptions are only logged. */
  readonly afterCommit: readonly AfterCommitSink[]
  /** Receive a count for floods of rejections: see `boundedRefusals`. */
  readonly bounded?: readonly AfterCommitSink[]
}

export type InsideSink = (trx: DatabaseOrTransaction, event: RecordedEvent) => Promise<void>
export interface InsideReceiver {
  /** Asked once for each type. */
  readonly wants: (type: EventType) => boolean
  readonly take: InsideSink
}

/** The promise is not awaited. */
export type AfterCommitSink = (event: RecordedEvent) => Promise<void> | void

export interface Events {
  /**
   * Records a change. After-commit sinks receive nothing after a rollback, and one event after
   * retries. @throws Error outside a transaction or without audit log, because every committed
   * change needs its record; errors of inside sinks
   */
  emitInTransaction<P extends Payload>(
    trx: DatabaseOrTransaction,
    type: EventType<P>,
    payload: NoInfer<P>,
    forAudit?: ForAudit,
  ): Promise<void>
  /**
   * Delivers an event without a change at once; logs receive counts for floods of rejections. Early
   * events reach the audit log when attached.
   */
  emit<P extends Payload>(type: EventType<P>, payload: NoInfer<P>, forAudit?: ForAudit): void
  /** The audit log needs the database. */
  attach(audit: AuditSink): void
  inside(receivers: readonly InsideReceiver[]): void
  /** Delivers the counts of past minutes, or all. */
  emitCounts(atOnce?: 'atOnce'): void
}

// Some processes never attach an audit log.
const maxEarly = 1000

export interface EventsDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly sinks: Sinks
}

export function createEvents({ clock, log, sinks }: EventsDeps): Events {
  let audit: AuditSink | undefined
  let early: RecordedEvent[] = []
  let receivers: readonly InsideReceiver[] = []
  // Keyed by name: one lookup per event.
  const insideByName = new Map<string, readonly InsideSink[]>()

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
    for (const take of insideOf(type)) await take(trx, event)
  }

  function insideOf(type: EventType): readonly InsideSink[] {
    const known = insideByName.get(type.name)
    if (known) return known
    const takes = receivers.filter(({ wants }) => wants(type)).map(({ take }) => take)
    insideByName.set(type.name, takes)
    return takes
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
    inside(given) {
      receivers = given
      insideByName.clear()
    },
    emitCounts: refusals.emitCounts,
  }
}

export interface LogSinkOptions {
  /** Whether lines that name a person contain the network address. */
  readonly logsAddresses: boolean
}

/** One line per event: name, payload without username, context, trace. */
export function logSink(
  log: Logger,
  { logsAddresses }: LogSinkOptions = { logsAddresses: true },
): AfterCommitSink {
  return ({ type, payload, context: { by, address: of, scheme, requestId } }) => {
    const { name, message } = type
    const level = type.level === 'critical' ? 'error' : type.level
    if (!log.isLevelEnabled(level)) return
    const trace_id = requestId === null ? null : (currentTrace()?.traceId ?? null)
    // Only the id of a person: erasure cannot reach logs.
    const { username: _, network = null, ...ids } = payload
    const addresses =
      logsAddresses || !namesPerson(by, payload) ? { network, address: of } : undefined
    const context = { by, ...addresses, scheme, request_id: requestId, trace_id }
    const known = Object.entries(context).filter(([, value]) => value !== null)
    log[level]({ event: name, ...ids, ...Object.fromEntries(known) }, message ?? undefined)
  }
}

const noPerson = /^(?:cli|bootstrap|job|client:.*)$/

function namesPerson(by: string | null, { user_id, username }: Payload): boolean {
  return (by !== null && !noPerson.test(by)) || (user_id ?? username ?? null) !== null
}
