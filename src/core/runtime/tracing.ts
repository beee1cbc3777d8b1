import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import type { Random } from '../crypto/random.ts'
import type { ConnectOptions } from '../database/database.ts'
import type { Span, SpanAttributes } from '../events/trace-context.ts'
import type { Clock } from '../lib/clock.ts'
import type { Workers } from '../workers/workers.ts'

/** The traces that this process exports. */
export interface Traces {
  /** Begins the span of a request; null for one that is not exported. */
  beginRequest(headers: IncomingHttpHeaders, attributes: SpanAttributes): Span | null
  /**
   * Begins the span of a request to another service: a part of the work under way, or of work that
   * several requests share a trace of its own. Null if it is not exported.
   */
  beginCall(attributes: SpanAttributes): Span | null
  readonly counts: TraceCounts
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>
}

/** How many there were since the start of the process. */
export interface TraceCounts {
  /** Spans that the collector has taken. */
  spansExported(): number
  /** Spans that no collector has, because it was slow, away or refused them, or a trace was too long. */
  spansDropped(): number
  /** Spans that wait now. */
  spansWaiting(): number
  /** Traces that were not exported because of TRACES_PER_SECOND. */
  tracesRefused(): number
}

export interface TracesDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Pick<Logger, 'warn' | 'info'>
  readonly workers: Pick<Workers, 'share' | 'index'>
}

/** The export of traces, which a module brings: see `tracing` of `Module`. */
export interface Tracing {
  readonly traces: Traces
  /** Wraps the dialect of the database: see `ConnectOptions.observe`. */
  readonly observe: NonNullable<ConnectOptions['observe']>
}

/** Creates the export of traces. */
export type CreateTracing = (config: Config, deps: TracesDeps) => Tracing
