import {
  type Context,
  createTraceState,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind as SdkKind,
  type Span as SdkSpan,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type {
  Span,
  SpanAttributes,
  SpanKind,
  TraceContext,
} from '../../core/events/trace-context.ts'

const kinds = { internal: SdkKind.INTERNAL, server: SdkKind.SERVER, client: SdkKind.CLIENT }

export interface TraceUnderWay {
  readonly tracer: Tracer
  /** The caller's `tracestate`. */
  readonly state: string | null
  /** Epoch milliseconds. */
  readonly epochMs: number
  readonly beganAt: number
  /** Remaining spans. */
  left: number
  /** Counts a span over the limit. */
  readonly drop: () => void
}

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: SpanAttributes | undefined
}

/** Null if not sampled. */
export function beginSpan(under: TraceUnderWay, start: SpanStart, parent: Context): Span | null {
  const { name, kind, attributes } = start
  const options = {
    ...{ kind: kinds[kind], startTime: nowIn(under) },
    ...(attributes && { attributes }),
  }
  const span = under.tracer.startSpan(name, options, parent)
  return span.isRecording() ? spanOf(span, under) : null
}

/** A new trace without caller. */
export function contextOf(caller: TraceContext | null): Context {
  if (!caller) return ROOT_CONTEXT
  const { traceId, spanId, isSampled, state } = caller
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: isSampled ? 1 : 0,
    ...(state !== null && { traceState: createTraceState(state) }),
  })
}

/** Monotonic: a child never outlasts its parent. */
function nowIn({ epochMs, beganAt }: TraceUnderWay): HrTime {
  const ms = epochMs + performance.now() - beganAt
  return [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)]
}

function spanOf(span: SdkSpan, under: TraceUnderWay): Span {
  const { traceId, spanId } = span.spanContext()
  return {
    ...{ traceId, spanId, isSampled: true, state: under.state },
    begin(name, kind, attributes) {
      if (under.left === 0) {
        under.drop()
        return null
      }
      under.left -= 1
      return beginSpan(under, { name, kind, attributes }, trace.setSpan(ROOT_CONTEXT, span))
    },
    rename: (name) => void span.updateName(name),
    set: (name, value) => void span.setAttribute(name, value),
    fail(type) {
      span.setAttribute('error.type', type)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    end: () => {
      if (span.isRecording()) span.end(nowIn(under))
    },
  }
}
