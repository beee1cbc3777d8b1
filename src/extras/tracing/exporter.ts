import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import { fetchFailure } from '../../core/outbound/fetch-failure.ts'
import { exportRequest, type Resource } from './otlp.ts'
import type { EndedSpan } from './span.ts'

export interface ExporterOptions {
  /** The full address: `<endpoint>/v1/traces`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Resource
  readonly fetch: typeof fetch
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** A number from 0 to 1, for the pause before another attempt. */
  readonly jitter: () => number
}

/** Sends ended spans to a collector, in batches and beside all other work. */
export interface Exporter {
  add(span: EndedSpan): void
  exported(): number
  /** Spans that no collector has: the queue was full, or the collector refused them or was away. */
  dropped(): number
  waiting(): number
  /** Sends what waits, within `closeMs`; what is left then is dropped. Never throws. */
  close(): Promise<void>
}

// As OpenTelemetry's batch processor has them (OTEL_BSP_*): the queue bounds the memory, about 2 MB.
const maxWaiting = 2048
const maxBatch = 512
const delayMs = 5000
const answerMs = 10_000
const firstPauseMs = 1000
const maxPauseMs = 60_000
const maxAttempts = 5
/** How long a stop may wait for the collector. */
export const closeMs = 2000
const maxAnswerBytes = 65_536

const retryable = new Set([429, 502, 503, 504])

/** How one attempt ended: after a refusal the spans are dropped, after a failure they are sent again. */
type Outcome =
  | { readonly kind: 'taken'; readonly rejected: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly pauseMs: number | null }

/**
 * The exporter of OTLP over HTTP. It has one request under way at a time, and what comes meanwhile
 * waits in a queue whose newest spans are dropped while it is full: a collector that is slow or away
 * costs memory up to a limit, and no request ever waits for it.
 */
export function createExporter(options: ExporterOptions): Exporter {
  const { resource, log, jitter } = options
  // A timer or a connection outlives the request in whose context it began.
  const outside = AsyncLocalStorage.snapshot()
  const queue: EndedSpan[] = []
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  let pauseUntil = 0
  let attempts = 0
  let exported = 0
  let dropped = 0
  let isFailing = false

  return {
    add(span) {
      if (queue.length >= maxWaiting || stop.signal.aborted) {
        dropped += 1
        return
      }
      queue.push(span)
      if (queue.length === maxBatch) plan(0)
      else if (!timer) plan(delayMs)
    },
    exported: () => exported,
    dropped: () => dropped,
    waiting: () => queue.length,

    async close() {
      clearTimeout(timer)
      const end = outside(() => setTimeout(() => stop.abort(), closeMs))
      try {
        await underWay
        pauseUntil = 0
        let goesOn = !stop.signal.aborted
        while (goesOn && queue.length > 0) goesOn = await sendBatch()
      } finally {
        clearTimeout(end)
        stop.abort()
        clearTimeout(timer)
        dropped += queue.length
        queue.length = 0
        if (dropped > 0) log.info({ exported, dropped }, 'not all traces were exported')
      }
    },
  }

  /** Sends after a time, or after the pause that the collector wants. */
  function plan(ms: number): void {
    if (underWay) return // plans the next one when it ends
    clearTimeout(timer)
    const wait = Math.max(ms, pauseUntil - performance.now())
    timer = outside(() => setTimeout(send, wait))
    timer.unref()
  }

  function send(): void {
    timer = undefined
    underWay = sendBatch().then(() => {
      underWay = undefined
      if (queue.length > 0 && !stop.signal.aborted) plan(queue.length >= maxBatch ? 0 : delayMs)
    })
  }

  /** Sends the oldest spans; answers whether the collector has answered. Never throws. */
  async function sendBatch(): Promise<boolean> {
    const batch = queue.slice(0, maxBatch)
    const outcome = await post(exportRequest(resource, batch))
    if (outcome.kind === 'failed' && attempts + 1 < maxAttempts) {
      attempts += 1
      const grown = Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs)
      const pauseMs = outcome.pauseMs ?? grown * (0.5 + jitter() / 2)
      pauseUntil = performance.now() + pauseMs
      noteFailure(outcome.reason)
      return false
    }
    queue.splice(0, batch.length)
    attempts = 0
    if (outcome.kind === 'taken') {
      exported += batch.length - outcome.rejected
      dropped += outcome.rejected
      if (isFailing) log.info({ dropped }, 'traces are exported again')
      isFailing = false
      return true
    }
    dropped += batch.length
    noteFailure(outcome.reason)
    return outcome.kind === 'refused'
  }

  /** Tells of a failure once, until an export succeeds again. */
  function noteFailure(reason: string): void {
    if (isFailing || stop.signal.aborted) return
    isFailing = true
    log.warn({ reason }, 'traces cannot be exported: the collector is away, or refuses them')
  }

  async function post(body: string): Promise<Outcome> {
    const { url, headers, fetch } = options
    const signal = AbortSignal.any([AbortSignal.timeout(answerMs), stop.signal])
    try {
      const response = await outside(() =>
        fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'gatehouse' },
          body,
          redirect: 'error',
          signal,
        }),
      )
      const { status } = response
      if (status === 200) return { kind: 'taken', rejected: await rejectedOf(response) }
      await response.body?.cancel()
      const reason = `status ${status}`
      if (!retryable.has(status)) return { kind: 'refused', reason }
      return { kind: 'failed', reason, pauseMs: pauseOf(response.headers) }
    } catch (error) {
      return { kind: 'failed', reason: fetchFailure(error), pauseMs: null }
    }
  }
}

/** How many spans a collector did not take, of a success that was a part of one. */
async function rejectedOf(response: Response): Promise<number> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) return 0 // leaving the loop cancels the stream
    chunks.push(chunk)
  }
  try {
    const answer: unknown = JSON.parse(Buffer.concat(chunks).toString())
    const { partialSuccess } = answer as { partialSuccess?: { rejectedSpans?: unknown } | null }
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(rejected) && rejected > 0 ? Math.min(rejected, maxBatch) : 0
  } catch {
    return 0 // it has answered 200, with what is no JSON
  }
}

/** Reads Retry-After: seconds, or a date by the clock of the collector. RFC 9110 section 10.2.3. */
function pauseOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? ''
  const isSeconds = /^[0-9]{1,9}$/.test(text)
  const until = isSeconds ? 0 : Date.parse(text) - Date.parse(headers.get('date') ?? '')
  const pauseMs = isSeconds ? Number(text) * 1000 : until
  return pauseMs >= 0 ? Math.min(pauseMs, maxPauseMs) : null
}
