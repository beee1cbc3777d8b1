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
    isLogin: true, // a restore would send again
    namesNone: ['message', 'type', 'order_key', 'chain', 'spread_to'],
  },
  {
    name: 'webhook_deliveries',
    key: ['id'],
    givesIds: true,
    sealed: ['sealed'],
    needsKeys: true,
    isLogin: true, // same reason
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

interface WebhookEndpointsTable {
  id: string
  /** JSON of URL and secrets, encrypted with the data key. */
  sealed: string
  description: Generated<string>
  /** JSON list; a final `*` matches any suffix. */
  events: string
  /** `ids`: without personal data. */
  content: 'ids' | 'full'
  /** `failed`: disabled after days of failures. `removed`: hidden, purged in steps. */
  state: 'enabled' | 'disabled' | 'failed' | 'removed'
  created_at: number
  updated_at: number
}

/** No row before the first attempt. */
interface WebhookHealthTable {
  endpoint: string
  /** First failure since the last success. */
  failing_since: number | null
  succeeded_at: number | null
  /** Null without a response. */
  status: number | null
}

/** The outbox before fan-out. */
interface WebhookEventsTable {
  id: Generated<number>
  /** The `webhook-id`. */
  message: string
  type: string
  /** Events with the same pseudonym keep their order; null: no person. */
  order_key: string | null
  /** The user id, readable after the erasure of the user. */
  target_id: number | null
  /** Position in the audit log; null for a checkpoint. */
  chain: string | null
  place: number | null
  checkpoint: number | null
  at: number
  /** Last endpoint id that has its delivery. */
  spread_to: Generated<string | null>
}

interface WebhookDeliveriesTable extends Omit<WebhookEventsTable, 'id' | 'spread_to'> {
  id: Generated<number>
  endpoint: string
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  attempts: Generated<number>
  due_at: number
  /** Null without a response. */
  status: number | null
  detail: string | null
  /** Last response, encrypted with the key of the person, otherwise the data key. */
  sealed: string | null
  created_at: number
  finished_at: number | null
}

interface WebhookQueuesTable {
  endpoint: string
  /** For nodes of 0.12.0. */
  lane: string
  /** Null: nothing waits. During a lease: its expiry. */
  due_at: number | null
  locked_by: string | null
  /** Consecutive. */
  failures: Generated<number>
  /** Also blocks deliveries added later. */
  paused_until: Generated<number>
}
