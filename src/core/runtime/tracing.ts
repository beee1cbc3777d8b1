import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import type { Random } from '../crypto/random.ts'
import type { ConnectOptions } from '../database/database.ts'
import type { Span, SpanAttributes } from '../events/trace-context.ts'
import type { Clock } from '../lib/clock.ts'
import type { Workers } from '../workers/workers.ts'

export interface Traces {
  /** Null if not sampled. */
  beginRequest(headers: IncomingHttpHeaders, attributes: SpanAttributes): Span | null
  /**
   * A child of the current work; work shared by several requests gets its own trace. Null if not
   * exported.
   */
  beginCall(attributes: SpanAttributes): Span | null
  readonly counts: TraceCounts
  /** Sends waiting spans, two seconds at most. */
  close(): Promise<void>
}

export interface TraceCounts {
  /** Accepted by the collector. */
  spansExported(): number
  /** Lost: the collector was slow, unavailable or rejected them, or a trace was too long. */
  spansDropped(): number
  spansWaiting(): number
  /** Not exported because of TRACES_PER_SECOND. */
  tracesRefused(): number
}

export interface TracesDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Pick<Logger, 'warn' | 'info'>
  readonly workers: Pick<Workers, 'share' | 'index'>
}

/** See `tracing` of `Module`. */
export interface Tracing {
  readonly traces: Traces
  /** See `ConnectOptions.observe`. */
  readonly observe: NonNullable<ConnectOptions['observe']>
}

export type CreateTracing = (config: Config, deps: TracesDeps) => Tracing
