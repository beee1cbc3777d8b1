import { packageVersion } from '../../core/config/version.ts'
import { type Clock, epochSeconds } from '../../core/lib/clock.ts'
import { guardedRequest, type OutboundOptions } from '../../core/outbound/guarded-request.ts'
import { OutboundError } from '../../core/outbound/outbound-error.ts'
import type { OutboundRules } from '../../core/outbound/target.ts'
import type { PersonSeal } from '../../modules/audit/person-seal.ts'
import type { EndpointSecrets } from './endpoints.ts'
import type { DueDelivery } from './queue.ts'
import { retryAfterMs } from './retries.ts'
import { signedHeaders } from './signature.ts'

export interface Attempt {
  readonly isDelivered: boolean
  /** Null without a response. */
  readonly status: number | null
  /** Null after success. */
  readonly detail: string | null
  /** The response to a failed attempt, encrypted with the key of the person. */
  readonly sealed: string | null
  /** From Retry-After. */
  readonly retryAfterMs: number
  readonly durationMs: number
}

export interface DeliverDeps {
  readonly clock: Clock
  readonly personSeal: Pick<PersonSeal, 'seal'>
  readonly rules: OutboundRules
  /** For tests. */
  readonly outbound?: Pick<OutboundOptions, 'lookup' | 'ca'>
}

/** `timeoutMs` covers the whole attempt. */
export const deliveryLimits = { timeoutMs: 10_000, maxAnswerBytes: 4096 } as const

const userAgent = `Gatehouse/${packageVersion()}`

/** Binds a response to its delivery. */
export function answerContext(id: number): string {
  return `webhook answer ${id}`
}

/** Never throws for errors of the receiver. `stopped`: the caller has aborted. */
export async function deliver(
  { clock, personSeal, rules, outbound = {} }: DeliverDeps,
  { url, secrets }: EndpointSecrets,
  delivery: DueDelivery,
  body: string,
  signal: AbortSignal,
): Promise<Attempt | 'stopped'> {
  const now = clock.now()
  const counting = secrets.filter(({ until }) => until === null || until > now)
  const message = { id: delivery.message, timestamp: epochSeconds(now), body }
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    ...signedHeaders(
      message,
      counting.map(({ secret }) => secret),
    ),
  }
  const beganAt = performance.now()
  const failed = { isDelivered: false, sealed: null, retryAfterMs: 0 }
  try {
    const answer = await guardedRequest(
      { url, method: 'POST', headers, body },
      { ...outbound, ...deliveryLimits, rules, signal },
    )
    const durationMs = performance.now() - beganAt
    const { status } = answer
    if (status >= 200 && status < 300) {
      return { ...failed, isDelivered: true, status, detail: null, durationMs }
    }
    const text = answer.body.toString()
    const sealed =
      text === ''
        ? null
        : await personSeal.seal(delivery.order_key, answerContext(delivery.id), text)
    const wait = retryAfterMs(answer.headers['retry-after'], clock.now())
    return { ...failed, status, detail: detailOf(status), sealed, retryAfterMs: wait, durationMs }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.fault === 'stopped') return 'stopped'
    const durationMs = performance.now() - beganAt
    return { ...failed, status: null, detail: error.message, durationMs }
  }
}

function detailOf(status: number): string {
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}
