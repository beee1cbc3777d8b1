import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Attempt, type DeliverDeps, deliver } from './deliver.ts'
import { type EndpointSecrets, openEndpoint } from './endpoints.ts'
import { webhookDeliveryFailed, webhookDisabled } from './events.ts'
import { deliveryResults } from './monitoring.ts'
import { payloadOf } from './payload.ts'
import { type DueDelivery, type EndpointToSend, type Lease, webhookQueue } from './queue.ts'
import { isGivenUp, leastWaitMs, pauseMs, retryMs } from './retries.ts'

export type LeaseDeps = DeliverDeps &
  Pick<Needs, 'asyncCommitDb' | 'auditLog' | 'events' | 'keys' | 'log' | 'measurements' | 'random'>

/** Sends the due deliveries of an endpoint one after the other, and ends the lease. */
export type SendLeased = (
  lease: Lease,
  /** Whether the lease ends after the attempt under way. */
  isOver: () => boolean,
  stop: AbortSignal,
) => Promise<void>

/** `gone`: the record of the event was removed, and nothing can be sent. */
type Result = Attempt | 'gone'

interface Sent {
  readonly endpoint: EndpointToSend
  readonly delivery: DueDelivery
  readonly result: Result
}

const maxPerLease = 40
const deadMs = 3 * 86_400_000
const healthNotedMs = 60_000

export function createSendLeased(deps: LeaseDeps): SendLeased {
  const { asyncCommitDb: db, clock, events, keys, log, measurements, random } = deps

  return async (first, isOver, stop) => {
    let lease: Lease | null = first
    for (let count = 1; lease !== null; count += 1) {
      const held: Lease = lease
      const store = webhookQueue(db)
      // For each delivery: the address, the secrets and the state may have changed.
      const endpoint = await store.endpoint(held.endpoint)
      const secrets = endpoint && openOrNull(endpoint)
      if (!endpoint || !secrets) return void (await store.end(held))
      const delivery = await store.next(held.endpoint, clock.now())
      const result = delivery && (await send(endpoint, secrets, delivery, stop))
      const sent = delivery && result && { endpoint, delivery, result }
      const isLast = sent === null || count === maxPerLease || stop.aborted || isOver()
      const settled = await transact(db, [], (trx) => settle(trx, held, sent, isLast))
      if (settled !== 'lost' && sent) tell(sent)
      lease = typeof settled === 'string' ? null : settled
    }
  }

  /** Returns null for a row that was sealed under another key: nothing can be sent to the endpoint. */
  function openOrNull(row: EndpointToSend): EndpointSecrets | null {
    try {
      return openEndpoint(keys, row)
    } catch (error) {
      log.error({ err: error, webhook: row.id }, 'a webhook does not open with the data key')
      return null
    }
  }

  /** Returns null if the stop of the process has ended the attempt. */
  async function send(
    { content }: EndpointToSend,
    secrets: EndpointSecrets,
    delivery: DueDelivery,
    stop: AbortSignal,
  ): Promise<Result | null> {
    const { checkpoint } = webhookQueue(db)
    const body = await payloadOf({ auditLog: deps.auditLog, checkpoint }, delivery, content)
    if (body === null) return 'gone'
    const attempt = await deliver(deps, secrets, delivery, body, stop)
    return attempt === 'stopped' ? null : attempt
  }

  /**
   * Stores what became of a delivery, and extends or ends the lease. Returns the lease if the next
   * delivery may be sent.
   */
  async function settle(
    trx: DatabaseOrTransaction,
    lease: Lease,
    sent: Sent | null,
    isLast: boolean,
  ): Promise<Lease | 'lost' | 'ended'> {
    const queue = webhookQueue(trx)
    const now = clock.now()
    if (!(await queue.renew(lease, now))) return 'lost'
    let { failures } = lease
    let paused_until = 0
    if (sent) {
      await record(trx, sent, now)
      const { endpoint, result } = sent
      // What the previous address answered says nothing about the new address.
      if (!(await queue.isAsRead(endpoint))) failures = 0
      else if (result !== 'gone') {
        failures = result.isDelivered ? 0 : failures + 1
        if (!result.isDelivered) {
          paused_until = now + Math.max(pauseMs(random, failures), result.retryAfterMs)
        }
        if ((await noteHealth(trx, endpoint, result, now)) === 'disabled') {
          await queue.end(lease, { failures, paused_until })
          return 'ended'
        }
      }
    }
    // After `renew`, which has waited for transactions that add deliveries.
    const nextDue = await queue.nextDue(lease.endpoint)
    const isDue = nextDue !== null && nextDue <= now && paused_until === 0
    if (isDue && !isLast) return { ...lease, failures }
    if (nextDue === null) await queue.end(lease, { failures, paused_until })
    else await queue.retry(lease, Math.max(nextDue, paused_until), { failures, paused_until })
    return 'ended'
  }

  /** Records an attempt, or the end of a delivery. */
  async function record(
    trx: DatabaseOrTransaction,
    { endpoint, delivery, result }: Sent,
    now: number,
  ): Promise<void> {
    const state = stateAfter(delivery, result, now)
    const wait = state === 'waiting' ? retryMs(random, delivery.attempts + 1) : 0
    const asked = result === 'gone' ? 0 : result.retryAfterMs
    await webhookQueue(trx).record(delivery.id, {
      state,
      due_at: now + Math.max(wait, asked),
      ...(result === 'gone'
        ? { status: null, detail: 'its record was removed from the audit log', sealed: null }
        : { status: result.status, detail: result.detail, sealed: result.sealed }),
      finished_at: state === 'waiting' ? null : now,
    })
    // Behind a delivery that was added a moment ago, none can have been put off.
    const isOld = now - delivery.created_at >= leastWaitMs
    if (state === 'waiting' || !isOld || delivery.order_key === null) return
    await webhookQueue(trx).free(endpoint.id, delivery.order_key, now)
  }

  /** Stores how the endpoint answers, and disables an endpoint that is gone or took nothing for days. */
  async function noteHealth(
    trx: DatabaseOrTransaction,
    endpoint: EndpointToSend,
    { isDelivered, status }: Attempt,
    now: number,
  ): Promise<'disabled' | 'enabled'> {
    const failing_since = isDelivered ? null : (endpoint.failing_since ?? now)
    const isNoted =
      !isDelivered ||
      endpoint.failing_since !== null ||
      now - (endpoint.succeeded_at ?? 0) >= healthNotedMs
    if (isNoted) {
      const succeeded_at = isDelivered ? now : endpoint.succeeded_at
      const health = { endpoint: endpoint.id, failing_since, succeeded_at, status }
      await webhookQueue(trx).noteHealth(health)
    }
    const isDead = failing_since !== null && now - failing_since >= deadMs
    if (status !== 410 && !isDead) return 'enabled'
    if (await webhookQueue(trx).disable(endpoint, now)) {
      await events.emitInTransaction(trx, webhookDisabled, {
        webhook: endpoint.id,
        origin: new URL(openEndpoint(keys, endpoint).url).origin,
        reason: status === 410 ? 'gone' : 'took_nothing',
        failing_since,
      })
    }
    return 'disabled'
  }

  /** Counts what became of a delivery, and emits the event of a delivery that is given up. */
  function tell({ endpoint, delivery, result }: Sent): void {
    const state = stateAfter(delivery, result, clock.now())
    measurements.of(deliveryResults).add([state === 'waiting' ? 'deferred' : state])
    if (state !== 'failed' || result === 'gone') return
    const { message, type } = delivery
    const { status, detail } = result
    events.emit(webhookDeliveryFailed, { webhook: endpoint.id, message, type, status, detail })
  }
}

function stateAfter({ attempts, created_at }: DueDelivery, result: Result, now: number) {
  if (result === 'gone') return 'cancelled'
  if (result.isDelivered) return 'delivered'
  return isGivenUp(attempts + 1, now - created_at) ? 'failed' : 'waiting'
}
