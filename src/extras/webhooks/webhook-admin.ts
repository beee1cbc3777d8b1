import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { Needs } from '../../core/module/services.ts'
import { ulid } from '../../modules/audit/ulid.ts'
import { answerContext } from './deliver.ts'
import {
  type DeliveryFilters,
  type DeliveryPage,
  type DeliveryRow,
  deliveryStore,
} from './delivery-store.ts'
import { testType } from './endpoints.ts'
import { webhookDeliveriesRepeated, webhookTested } from './events.ts'
import { deliveryNotFound, webhookDisabled, webhookNotFound } from './problems.ts'
import { webhookQueue } from './queue.ts'
import { endpointStore } from './store.ts'

export interface WebhookAdmin {
  /** Newest first. */
  page(
    filters: DeliveryFilters,
    part: { readonly limit: number; readonly before?: number | null },
  ): Promise<DeliveryPage>
  byId(id: number): Promise<DeliveryRow | null>
  /**
   * Response to the last failed attempt, at most 4 KiB, untrusted. Null if empty, or if the person
   * was erased.
   */
  answerTo(row: DeliveryRow): Promise<string | null>
  /**
   * Sends again immediately, with the same `webhook-id`. @throws ApiError webhookDeliveryNotFound,
   * webhookDisabled
   */
  repeat(id: number, guard?: Guard): Promise<DeliveryRow>
  /** In order, up to `maxRepeated`. @throws ApiError webhookNotFound, webhookDisabled */
  repeatMany(filters: RepeatFilters, guard?: Guard): Promise<Repeated>
  /** @throws ApiError as `repeatMany` */
  test(endpoint: string, guard?: Guard): Promise<DeliveryRow>
  /** Called after a commit that makes deliveries due. */
  onDue(listener: () => void): void
}

export interface RepeatFilters extends Omit<DeliveryFilters, 'endpoint' | 'state'> {
  readonly endpoint: string
  readonly state: 'failed' | 'delivered' | 'cancelled'
  /** The `next` of the previous response. */
  readonly after?: number | undefined
}

export interface Repeated {
  readonly repeated: number
  /** Null at the end. */
  readonly next: number | null
}

/** Deliveries per request, in small transactions, so that logins do not wait. */
export const maxRepeated = 10_000
const batchSize = 250

export function createWebhookAdmin(
  deps: Pick<Needs, 'clock' | 'db' | 'events' | 'knownEvents' | 'personSeal' | 'random'>,
): WebhookAdmin {
  const { clock, db, events, knownEvents, personSeal, random } = deps
  const listeners: (() => void)[] = []
  const notify = () => {
    for (const listener of listeners) listener()
  }

  return {
    page: (filters, part) => deliveryStore(db, knownEvents).page(filters, part),
    byId: (id) => deliveryStore(db, knownEvents).byId(id),
    answerTo: async ({ id, order_key, sealed }) =>
      sealed && personSeal.open(order_key, answerContext(id), sealed),
    onDue: (listener) => void listeners.push(listener),

    repeat(id, guard) {
      const change = async (trx: DatabaseOrTransaction) => {
        const store = deliveryStore(trx, knownEvents)
        const before = await store.byIdForUpdate(id)
        if (!before) throw deliveryAbsent()
        await assertEnabled(trx, before.endpoint, deliveryAbsent)
        await store.repeat([id], clock.now())
        await repeated(trx, before.endpoint, 1)
        return (await store.byId(id)) ?? before
      }
      return transact(db, [], change, guard)
    },

    async repeatMany({ after = 0, ...filters }, guard) {
      let done = 0
      let next: number | null = after
      while (next !== null && done < maxRepeated) {
        const from: number = next
        const batch = await transact(db, [], (trx) => repeatBatch(trx, filters, from), guard)
        done += batch.repeated
        next = batch.next
      }
      return { repeated: done, next }
    },

    test(endpoint, guard) {
      const change = async (trx: DatabaseOrTransaction) => {
        await assertEnabled(trx, endpoint, endpointAbsent)
        const at = clock.now()
        const message = ulid(at, random)
        const store = deliveryStore(trx, knownEvents)
        const id = await store.insert({ endpoint, message, type: testType, at })
        await webhookQueue(trx).retryNow(endpoint, at)
        await events.emitInTransaction(trx, webhookTested, { webhook: endpoint, message })
        afterCommit(trx, notify)
        const row = await store.byId(id)
        if (!row) throw new Error('the delivery that was added is not there')
        return row
      }
      return transact(db, [], change, guard)
    },
  }

  async function repeatBatch(
    trx: DatabaseOrTransaction,
    filters: RepeatFilters,
    after: number,
  ): Promise<Repeated> {
    await assertEnabled(trx, filters.endpoint, endpointAbsent)
    const store = deliveryStore(trx, knownEvents)
    const { ids, next } = await store.following(filters, { limit: batchSize, after })
    const count = await store.repeat(ids, clock.now())
    if (count > 0) await repeated(trx, filters.endpoint, count)
    return { repeated: count, next }
  }

  async function repeated(
    trx: DatabaseOrTransaction,
    webhook: string,
    deliveries: number,
  ): Promise<void> {
    await webhookQueue(trx).retryNow(webhook, clock.now())
    await events.emitInTransaction(trx, webhookDeliveriesRepeated, { webhook, deliveries })
    afterCommit(trx, notify)
  }

  /** @throws ApiError webhookDisabled, and the error of `absent` */
  async function assertEnabled(
    trx: DatabaseOrTransaction,
    id: string,
    absent: () => ApiError,
  ): Promise<void> {
    const row = await endpointStore(trx).byIdForUpdate(id)
    if (!row) throw absent()
    const { state } = row
    if (state === 'enabled') return
    throw new ApiError(webhookDisabled, { reason: { code: 'webhook_disabled', facts: { state } } })
  }
}

function endpointAbsent(): ApiError {
  return goneMeanwhile(webhookNotFound)
}

function deliveryAbsent(): ApiError {
  return new ApiError(deliveryNotFound, { reason: { code: 'no_such_webhook_delivery' } })
}
