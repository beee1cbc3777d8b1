import type { Span, SpanAttributes, SpanKind } from '../../core/events/trace-context.ts'

/** A span as it is exported. Times are milliseconds since the beginning of its trace. */
export interface EndedSpan {
  readonly trace: TraceUnderWay
  readonly spanId: string
  readonly parentId: string | null
  readonly isParentRemote: boolean
  readonly name: string
  readonly kind: SpanKind
  readonly startMs: number
  readonly endMs: number
  readonly attributes: ReadonlyMap<string, string | number>
  /** The type of the failure; null for a success. */
  readonly failure: string | null
}

/** What the spans of one trace in this process share. */
export interface TraceUnderWay {
  readonly traceId: string
  readonly state: string | null
  /** When it began here: by the clock, in epoch milliseconds, and by the monotonic one. */
  readonly epochMs: number
  readonly beganAt: number
  /** How many spans may still begin in it. */
  left: number
}

export interface SpanSink {
  newSpanId(): string
  ended(span: EndedSpan): void
  /** A span was not begun, because its trace has as many as it may have. */
  tooMany(): void
}

export interface BeginOptions {
  readonly trace: TraceUnderWay
  readonly name: string
  readonly kind: SpanKind
  readonly parentId?: string | null
  readonly isParentRemote?: boolean
  readonly attributes?: SpanAttributes | undefined
}

/** Begins a span, which tells `sink` when it ends. */
export function beginSpan(sink: SpanSink, options: BeginOptions): Span {
  return new MeasuredSpan(sink, options)
}

class MeasuredSpan implements Span, EndedSpan {
  readonly isSampled = true
  readonly trace: TraceUnderWay
  readonly spanId: string
  readonly parentId: string | null
  readonly isParentRemote: boolean
  readonly kind: SpanKind
  readonly attributes: Map<string, string | number>
  readonly startMs: number
  name: string
  endMs = Number.NaN
  failure: string | null = null
  readonly #sink: SpanSink

  constructor(sink: SpanSink, options: BeginOptions) {
    const { trace, name, kind, parentId = null, isParentRemote = false, attributes = {} } = options
    this.#sink = sink
    this.trace = trace
    this.spanId = sink.newSpanId()
    this.parentId = parentId
    this.isParentRemote = isParentRemote
    this.name = name
    this.kind = kind
    this.attributes = new Map(Object.entries(attributes))
    this.startMs = performance.now() - trace.beganAt
  }

  get traceId(): string {
    return this.trace.traceId
  }

  get state(): string | null {
    return this.trace.state
  }

  begin(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | null {
    const { trace, spanId } = this
    if (trace.left === 0) {
      this.#sink.tooMany()
      return null
    }
    trace.left -= 1
    return new MeasuredSpan(this.#sink, { trace, name, kind, parentId: spanId, attributes })
  }

  set(name: string, value: string | number): void {
    this.attributes.set(name, value)
  }

  rename(name: string): void {
    this.name = name
  }

  fail(type: string): void {
    this.failure = type
  }

  end(): void {
    if (!Number.isNaN(this.endMs)) return
    this.endMs = performance.now() - this.trace.beganAt
    this.#sink.ended(this)
  }
}
