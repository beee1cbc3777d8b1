import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'webhook_endpoints',
    key: ['id'],
    sealed: ['sealed'],
    needsKeys: true,
    namesNone: ['id', 'sealed', 'description', 'events', 'content', 'state'],
  },
  {
    name: 'webhook_health',
    key: [],
    leftOut: 'of the installation that has sent to them',
    namesNone: ['endpoint'],
  },
  {
    name: 'webhook_events',
    key: ['id'],
    givesIds: true,
    needsKeys: true,
    isLogin: true, // a restored one would be sent again,
    namesNone: ['message', 'type', 'order_key', 'chain', 'spread_to'],
  },
  {
    name: 'webhook_deliveries',
    key: ['id'],
    givesIds: true,
    sealed: ['sealed'],
    needsKeys: true,
    isLogin: true, // as well,
    namesPerson: {
      columns: ['sealed'],
      atErasure: 'opens no more: it is under the key of the person',
    },
    namesNone: ['endpoint', 'message', 'type', 'order_key', 'chain', 'state', 'detail'],
  },
  {
    name: 'webhook_queues',
    key: [],
    leftOut: 'made of the deliveries that wait',
    namesNone: ['endpoint', 'lane', 'locked_by'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    webhook_endpoints: WebhookEndpointsTable
    webhook_health: WebhookHealthTable
    webhook_events: WebhookEventsTable
    webhook_deliveries: WebhookDeliveriesTable
    webhook_queues: WebhookQueuesTable
  }
}

/** Where events are sent to. */
interface WebhookEndpointsTable {
  id: string
  /** JSON of the address and the secrets, under the data key. */
  sealed: string
  description: Generated<string>
  /** JSON list of the names of events; `*` at the end of one stands for any rest. */
  events: string
  /** `ids`: without what names a person. */
  content: 'ids' | 'full'
  /**
   * `failed`: disabled because it took nothing for days. `removed`: its deliveries are deleted in
   * steps, and then the row; nothing shows it.
   */
  state: 'enabled' | 'disabled' | 'failed' | 'removed'
  created_at: number
  updated_at: number
}

/** How an endpoint answers; without a row nothing was sent to it yet. */
interface WebhookHealthTable {
  endpoint: string
  /** Of the first failure since the last success. */
  failing_since: number | null
  succeeded_at: number | null
  /** The last status; null if there was no answer. */
  status: number | null
}

/** The outbox: events that are not yet spread over the endpoints. */
interface WebhookEventsTable {
  id: Generated<number>
  /** The `webhook-id`: the id of the record, or of the checkpoint. */
  message: string
  type: string
  /** Whose events keep their order: the pseudonym of the person; null: no person is known. */
  order_key: string | null
  /** The id of the user whom it concerns: it says who was erased, whose record does not open any more. */
  target_id: number | null
  /** The place of the record in the audit log; null for a checkpoint. */
  chain: string | null
  place: number | null
  /** The number of a checkpoint. */
  checkpoint: number | null
  at: number
  /** The last endpoint in the order of ids that has its delivery; null: none has. */
  spread_to: Generated<string | null>
}

/** A message to an endpoint. */
interface WebhookDeliveriesTable extends Omit<WebhookEventsTable, 'id' | 'spread_to'> {
  id: Generated<number>
  endpoint: string
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  attempts: Generated<number>
  due_at: number
  /** Of the last answer; null if there was none. */
  status: number | null
  /** Why the last attempt failed, in our words. */
  detail: string | null
  /** The last answer, under the key of the person; under the data key if there is none. */
  sealed: string | null
  created_at: number
  finished_at: number | null
}

/** When the next delivery of an endpoint is sent. */
interface WebhookQueuesTable {
  endpoint: string
  /** Of 0.12.0, whose nodes may run beside this one. */
  lane: string
  /** When the endpoint is due; null: nothing waits. While it is leased: when the lease expires. */
  due_at: number | null
  /** The owner of the lease. */
  locked_by: string | null
  /** Failures in a row. */
  failures: Generated<number>
  /** Nothing is sent before this time, not even deliveries that are added later. */
  paused_until: Generated<number>
}
