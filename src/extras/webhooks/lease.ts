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

/** Sends due deliveries sequentially, then ends the lease. */
export type SendLeased = (
  lease: Lease,
  /** Ends the lease after the current attempt. */
  isOver: () => boolean,
  stop: AbortSignal,
) => Promise<void>

/** `gone`: the audit record was removed. */
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
      // Read per delivery: URL, secrets and state can change.
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

  /** Null if encrypted with another key. */
  function openOrNull(row: EndpointToSend): EndpointSecrets | null {
    try {
      return openEndpoint(keys, row)
    } catch (error) {
      log.error({ err: error, webhook: row.id }, 'a webhook does not open with the data key')
      return null
    }
  }

  /** Null if shutdown aborted the attempt. */
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

  /** Stores the result; returns the extended lease, or ends the lease. */
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
      // Failures of the previous URL do not count.
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
    // After `renew`, which waits for transactions that add deliveries.
    const nextDue = await queue.nextDue(lease.endpoint)
    const isDue = nextDue !== null && nextDue <= now && paused_until === 0
    if (isDue && !isLast) return { ...lease, failures }
    if (nextDue === null) await queue.end(lease, { failures, paused_until })
    else await queue.retry(lease, Math.max(nextDue, paused_until), { failures, paused_until })
    return 'ended'
  }

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
    // Nothing can have been postponed behind a recently added delivery.
    const isOld = now - delivery.created_at >= leastWaitMs
    if (state === 'waiting' || !isOld || delivery.order_key === null) return
    await webhookQueue(trx).free(endpoint.id, delivery.order_key, now)
  }

  /** Also disables endpoints that are gone or have failed for days. */
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
