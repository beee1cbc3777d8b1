import type { SpanKind } from '../../core/events/trace-context.ts'
import type { EndedSpan } from './span.ts'

/**
 * OTLP's ExportTraceServiceRequest as JSON: names in lowerCamelCase, ids in hex, enums as numbers and
 * integers of 64 bits as text. opentelemetry-proto: docs/specification.md (JSON Protobuf Encoding),
 * trace/v1/trace.proto
 */
export interface Resource {
  readonly attributes: Readonly<Record<string, string | number>>
  /** The program that made the spans. */
  readonly scope: { readonly name: string; readonly version: string }
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const statusError = 2
// SpanFlags: the lowest byte is that of traceparent.
const sampled = 0x001
const knowsIsRemote = 0x100
const isRemote = 0x200

/** The body of a request that exports spans. */
export function exportRequest(
  { attributes, scope }: Resource,
  spans: readonly EndedSpan[],
): string {
  const scopeSpans = [{ scope, spans: spans.map(spanOf) }]
  const resource = { attributes: Object.entries(attributes).map(attributeOf) }
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

function spanOf(span: EndedSpan) {
  const { trace, failure, parentId, isParentRemote } = span
  const attributes = [...span.attributes].map(attributeOf)
  if (failure !== null) attributes.push(attributeOf(['error.type', failure]))
  return {
    traceId: trace.traceId,
    spanId: span.spanId,
    ...(trace.state !== null && { traceState: trace.state }),
    ...(parentId !== null && { parentSpanId: parentId }),
    flags: sampled | knowsIsRemote | (isParentRemote ? isRemote : 0),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(trace.epochMs, span.startMs),
    endTimeUnixNano: nanoseconds(trace.epochMs, span.endMs),
    attributes,
    status: failure === null ? {} : { code: statusError },
  }
}

function attributeOf([key, value]: readonly [string, string | number]) {
  if (typeof value === 'string') return { key, value: { stringValue: value } }
  const isInteger = Number.isSafeInteger(value)
  return { key, value: isInteger ? { intValue: String(value) } : { doubleValue: value } }
}

/** Epoch nanoseconds as text: a number would not hold them exactly. */
function nanoseconds(epochMs: number, sinceMs: number): string {
  const wholeMs = Math.floor(sinceMs)
  const rest = Math.floor((sinceMs - wholeMs) * 1e6)
  return `${Math.floor(epochMs) + wholeMs}${String(rest).padStart(6, '0')}`
}
