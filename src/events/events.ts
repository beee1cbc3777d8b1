import type { Logger } from 'pino'
import type { DatabaseOrTransaction } from '../database/connect.ts'
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
export type AfterCommitSink = (event: RecordedEvent) => void

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
  /** To be replaced by the others. */
  record(event: EventName, fields: EventFields): void
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
    for (const sink of sinks.afterCommit) {
      try {
        sink(event)
      } catch (error) {
        log.error({ err: error, untold: event.type.name }, 'a sink failed to take an event')
      }
    }
  }

  async function record(trx: DatabaseOrTransaction, type: EventType, payload: Payload) {
    const event = happened(type, payload)
    afterCommit(trx, () => deliver(event))
    for (const sink of sinks.inside) await sink(trx, event)
  }

  function recordByName(name: EventName, fields: EventFields): void {
    // Its fields may still be named as those of a context.
    const type: EventType = { name, level: warned.has(name) ? 'warn' : 'info' }
    deliver(happened(type, fields as Payload))
  }

  return {
    // The overloads differ in their first argument.
    record: ((...given: [EventName, EventFields] | Parameters<typeof record>) =>
      typeof given[0] === 'string'
        ? recordByName(given[0], given[1] as EventFields)
        : record(...(given as Parameters<typeof record>))) as Events['record'],
    tell: (type, payload) => deliver(happened(type as EventType, payload)),
  }
}

/** One line per event, with its name in `event` and what its context knows. */
export function logSink(log: Logger): AfterCommitSink {
  return ({ type: { name, level }, payload, context: { requestId, ...context } }) => {
    const known = Object.entries({ ...context, request_id: requestId }).filter(
      ([field, value]) => value !== null && !(field in payload),
    )
    log[level]({ event: name, ...payload, ...Object.fromEntries(known) })
  }
}

/**
 * What happened, in the words of the OWASP Logging Vocabulary. Each becomes one log line with its
 * name in `event`; nothing in it is a credential. Usernames are logged once they are known to name
 * an account: people type passwords into the wrong field.
 */
export type EventName =
  | 'authn_login_success'
  | 'authn_login_fail'
  | 'authn_login_fail_max'
  | 'authn_login_lock'
  | 'authn_password_change'
  | 'authn_password_change_fail'
  | 'authn_token_created'
  | 'authn_token_reuse'
  | 'authn_token_revoked'
  | 'authz_admin'
  | 'backup_made'
  | 'backup_restored'
  | 'database_moved'
  | 'password_breach_query_fail'
  | 'identity_linked'
  | 'identity_provider_fail'
  | 'identity_unlinked'
  | 'key_retired'
  | 'key_rotated'
  | 'mfa_codes_renewed'
  | 'mfa_enrolled'
  | 'mfa_fail'
  | 'mfa_removed'
  | 'post_created'
  | 'post_deleted'
  | 'post_locked'
  | 'post_unlocked'
  | 'post_updated'
  | 'privilege_permissions_changed'
  | 'sensitive_create'
  | 'sensitive_read'
  | 'sensitive_update'
  | 'session_created'
  | 'session_ended'
  | 'sys_commits_lost'
  | 'sys_shutdown'
  | 'sys_startup'
  | 'user_created'
  | 'user_deleted'
  | 'user_updated'

export type EventFields = Readonly<
  Record<string, string | number | boolean | readonly string[] | null>
>

const warned = new Set<EventName>([
  'authn_login_fail',
  'authn_login_fail_max',
  'authn_login_lock',
  'authn_password_change_fail',
  'identity_provider_fail',
  'password_breach_query_fail',
  'sys_commits_lost',
])
