import type { Logger } from 'pino'
import type { Random } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { AuditLog } from '../../modules/audit/audit-log.ts'
import type { KeySet } from '../../modules/keys/key-set.ts'
import { isGivenUp, leastWaitMs, pauseMs, retryMs } from './back-off.ts'
import { type Attempt, type DeliverDeps, deliver } from './deliver.ts'
import { type EndpointSecrets, openEndpoint } from './endpoints.ts'
import { webhookDeliveryFailed, webhookDisabled } from './events.ts'
import { deliveryResults } from './monitoring.ts'
import { payloadsOf } from './payload.ts'
import {
  type DueDelivery,
  type EndpointToSend,
  type Lane,
  type Lease,
  queueStore,
} from './queue-store.ts'
import type { WebhookThrottle } from './throttle.ts'

export interface LeasesDeps extends DeliverDeps {
  readonly db: Database
  readonly asyncCommitDb: Database
  readonly clock: Clock
  readonly random: Random
  readonly keys: Pick<KeySet, 'dataKey'>
  readonly events: Pick<Events, 'emit' | 'emitInTransaction'>
  readonly log: Pick<Logger, 'error'>
  readonly measurements: Pick<Measurements, 'of'>
  readonly auditLog: Pick<AuditLog, 'at'>
  readonly throttle: WebhookThrottle
}

/** Longer than an attempt may take, so that no other process takes the lease during the attempt. */
export const leaseMs = 30_000
/** How many requests to an endpoint are under way at a time. */
const atOnce = 4
const maxRounds = 10
const slowMs = 1500
const deadMs = 3 * 86_400_000
const healthNotedMs = 60_000

/** A delivery with what became of it; null: it cannot be sent, because its record is gone. */
interface Outcome {
  readonly delivery: DueDelivery
  readonly attempt: Attempt | null
}

/** The state of an endpoint at the end of its lease. */
interface Standing {
  readonly lane: Lane
  readonly failures: number
  readonly pausedUntil: number
  /** Of the first failure since it has taken something. */
  readonly failingSince: number | null
}

export interface Leases {
  /** Sends some of the deliveries of a leased endpoint, and ends the lease. */
  run(lease: Lease, lane: Lane, worker: string, stop: AbortSignal): Promise<void>
}

export function createLeases(deps: LeasesDeps): Leases {
  const { asyncCommitDb, clock, events, keys, log, measurements, random, throttle } = deps

  return {
    async run(lease, lane, worker, stop) {
      const queue = queueStore(asyncCommitDb)
      const { endpoint } = lease
      let standing: Standing | null = null
      let sealed: string | undefined
      for (let round = 1; ; round += 1) {
        const now = clock.now()
        const notifications =
          round === 1 ? lease.notifications : await queue.renew(endpoint, worker, now + leaseMs)
        if (notifications === null) return // another process has the lease
        // Anew in each round: its address, its secrets or its choice may be others by now.
        const found = await queue.endpoint(endpoint)
        const isOther = sealed !== undefined && found?.sealed !== sealed
        sealed = found?.sealed
        const begins = { lane, failures: isOther ? 0 : lease.failures, pausedUntil: 0 }
        if (standing === null || isOther) {
          standing = { ...begins, failingSince: found?.failing_since ?? null }
        }
        const stands = standing
        const end = (dueAt: number | null, at: Standing = stands) =>
          queue.end(endpoint, worker, { ...at, dueAt, notifications, now: clock.now() })
        const secrets = found && openOrNull(found)
        if (!found || !secrets) return end(null)
        const isTrial = standing.lane === 'new' || standing.lane === 'failing'
        const due = await queue.next(endpoint, now, isTrial ? 1 : atOnce)
        if (due.length === 0) return end(await queue.nextDue(endpoint))
        const outcomes = await send(found, secrets, due, stop)
        const settled = await settle(found, outcomes, standing)
        if (settled === 'disabled') return end(null)
        standing = settled
        const { pausedUntil } = settled
        if (pausedUntil > 0) return end(pausedUntil, settled)
        const nextDue = await queue.nextDue(endpoint)
        const isMoved = settled.lane !== lane // its place is for others
        const isOver = stop.aborted || isMoved || round === maxRounds
        if (isOver || nextDue === null || nextDue > clock.now()) return end(nextDue, settled)
      }
    },
  }

  /** Answers null for a row that was sealed under another key: nothing can be sent to it. */
  function openOrNull(row: EndpointToSend): EndpointSecrets | null {
    try {
      return openEndpoint(keys, row)
    } catch (error) {
      log.error({ err: error, webhook: row.id }, 'a webhook does not open with the data key')
      return null
    }
  }

  async function send(
    { id, content, sealed }: EndpointToSend,
    secrets: EndpointSecrets,
    due: readonly DueDelivery[],
    stop: AbortSignal,
  ): Promise<Outcome[]> {
    const source = {
      auditLog: deps.auditLog,
      checkpoint: (number: number) => queueStore(asyncCommitDb).checkpoint(number),
    }
    const bodies = await payloadsOf(source, due, content)
    const sent = due.map(async (delivery, index): Promise<Outcome[]> => {
      const body = bodies[index]
      if (!body) return [{ delivery, attempt: null }]
      await throttle.next(stop)
      // It may have waited for seconds: nothing goes where it should not go any more.
      if (!(await queueStore(asyncCommitDb).isAsRead(id, sealed))) return []
      const attempt = await deliver(deps, secrets, delivery, body, stop)
      return attempt === 'stopped' ? [] : [{ delivery, attempt }]
    })
    return (await Promise.all(sent)).flat()
  }

  /** Stores what became of deliveries, and how the endpoint stands now. */
  async function settle(
    endpoint: EndpointToSend,
    outcomes: readonly Outcome[],
    before: Standing,
  ): Promise<Standing | 'disabled'> {
    if (outcomes.length === 0) return before
    const now = clock.now()
    const taken = outcomes.filter(({ attempt }) => attempt?.isDelivered)
    const refused = outcomes.filter(({ attempt }) => attempt && !attempt.isDelivered)
    const isFailing = taken.length === 0 && refused.length > 0
    const failures = isFailing ? before.failures + 1 : taken.length > 0 ? 0 : before.failures
    const failingSince = isFailing
      ? (before.failingSince ?? now)
      : taken.length > 0
        ? null
        : before.failingSince
    const asked = Math.max(0, ...refused.map(({ attempt }) => attempt?.retryAfterMs ?? 0))
    const pause = isFailing ? Math.max(pauseMs(random, failures), asked) : asked
    const pausedUntil = pause > 0 ? now + pause : 0
    const isGone = refused.some(({ attempt }) => attempt?.status === 410)
    const isDead = isFailing && failingSince !== null && now - failingSince >= deadMs
    const isNoted =
      refused.length > 0 ||
      before.failingSince !== null ||
      now - (endpoint.succeeded_at ?? 0) >= healthNotedMs
    const given = await transact(asyncCommitDb, [], async (trx) => {
      await end(trx, endpoint.id, outcomes, now)
      // What was answered at its address of before says nothing of the one that it has now.
      if (!(await queueStore(trx).isAsRead(endpoint.id, endpoint.sealed))) return 'changed'
      const succeeded_at = taken.length > 0 ? now : endpoint.succeeded_at
      if (isNoted) {
        const { attempt = null } = refused.at(-1) ?? taken.at(-1) ?? {}
        await queueStore(trx).noteHealth({
          endpoint: endpoint.id,
          failing_since: failingSince,
          succeeded_at,
          status: attempt?.status ?? null,
        })
      }
      if (!isGone && !isDead) return null
      const isDisabled = await queueStore(trx).disable(endpoint, now)
      if (isDisabled) {
        await events.emitInTransaction(trx, webhookDisabled, {
          webhook: endpoint.id,
          origin: new URL(openEndpoint(keys, endpoint).url).origin,
          reason: isGone ? 'gone' : 'took_nothing',
          failing_since: failingSince,
        })
      }
      return 'disabled'
    })
    count(endpoint, outcomes, now)
    if (given === 'disabled') return given
    if (given === 'changed') return { ...before, failures: 0, pausedUntil: 0 }
    const slowest = Math.max(0, ...outcomes.map(({ attempt }) => attempt?.durationMs ?? 0))
    const lane = isFailing
      ? 'failing'
      : taken.length === 0
        ? before.lane
        : slowest > slowMs
          ? 'slow'
          : 'quick'
    return { lane, failures, pausedUntil, failingSince }
  }

  async function end(
    trx: DatabaseOrTransaction,
    endpoint: string,
    outcomes: readonly Outcome[],
    now: number,
  ): Promise<void> {
    const queue = queueStore(trx)
    const byStatus = Map.groupBy(
      outcomes.filter(({ attempt }) => attempt?.isDelivered),
      ({ attempt }) => attempt?.status ?? 0,
    )
    for (const [status, some] of byStatus) {
      await queue.delivered(
        some.map(({ delivery }) => delivery.id),
        status,
        now,
      )
    }
    for (const { delivery, attempt } of outcomes) {
      if (attempt?.isDelivered) continue
      const isOver = hasEnded(delivery, attempt, now)
      const wait = isOver ? 0 : retryMs(random, delivery.attempts + 1)
      await queue.failed(delivery.id, {
        end: attempt === null ? 'cancelled' : isOver ? 'failed' : null,
        dueAt: now + Math.max(wait, attempt?.retryAfterMs ?? 0),
        status: attempt?.status ?? null,
        detail: attempt?.detail ?? 'its record was removed from the audit log',
        sealed: attempt?.sealed ?? null,
        now,
      })
    }
    const ended = outcomes.filter(({ delivery, attempt }) => hasEnded(delivery, attempt, now))
    // Behind one that was added a moment ago, none can have been put off.
    const older = ended.filter(({ delivery }) => now - delivery.created_at >= leastWaitMs)
    const orderKeys = older.flatMap(({ delivery }) => delivery.order_key ?? [])
    await queue.free(endpoint, [...new Set(orderKeys)], now)
  }

  function hasEnded(
    { attempts, created_at }: DueDelivery,
    attempt: Attempt | null,
    now: number,
  ): boolean {
    if (attempt === null || attempt.isDelivered) return true
    return isGivenUp(attempts + 1, now - created_at)
  }

  function count({ id }: EndpointToSend, outcomes: readonly Outcome[], now: number): void {
    for (const { delivery, attempt } of outcomes) {
      const isOver = hasEnded(delivery, attempt, now)
      const result = !attempt
        ? 'cancelled'
        : attempt.isDelivered
          ? 'delivered'
          : isOver
            ? 'failed'
            : 'deferred'
      measurements.of(deliveryResults).add([result])
      if (result !== 'failed' || !attempt) continue
      const { message, type } = delivery
      const { status, detail } = attempt
      events.emit(webhookDeliveryFailed, { webhook: id, message, type, status, detail })
    }
  }
}
