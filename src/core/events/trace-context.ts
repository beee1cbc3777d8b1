import type { IncomingHttpHeaders } from 'node:http'

/** W3C Trace Context, level 1. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** The parent span of calls: 16 hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** The unchanged `tracestate`. */
  readonly state: string | null
}

/** A subset of OpenTelemetry's SpanKind. */
export type SpanKind = 'internal' | 'server' | 'client'

export interface Span extends TraceContext {
  /** Null at the span limit of the trace. */
  begin(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | null
  rename(name: string): void
  /** Never a secret, a person's name, or caller-chosen text. */
  set(name: string, value: string | number): void
  /** `type`: low cardinality, such as an error class or code. */
  fail(type: string): void
  /** Idempotent. */
  end(): void
}

export type SpanAttributes = Readonly<Record<string, string | number>>

// Version 00. Later versions may append fields after a dash: section 4.3.
const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x20-\x7e]*)?$/
const versionLength = 55
const maxLength = 256

/**
 * Null without a valid `traceparent`; `tracestate` is then ignored. Only the flag `sampled` is
 * known.
 */
export function parseTraceContext({
  traceparent,
  tracestate,
}: IncomingHttpHeaders): TraceContext | null {
  if (typeof traceparent !== 'string' || traceparent.length > maxLength) return null
  const [, version, traceId = '', spanId = '', flags = ''] = format.exec(traceparent) ?? []
  if (version === undefined || version === 'ff') return null
  if (version === '00' && traceparent.length !== versionLength) return null
  if (isZero(traceId) || isZero(spanId)) return null
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, isSampled, state: stateOf(tracestate) }
}

/** Version 00. */
export function traceHeaders({
  traceId,
  spanId,
  isSampled,
  state,
}: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`
  return state === null ? { traceparent } : { traceparent, tracestate: state }
}

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}

const maxStateLength = 512
const maxMembers = 32
const member =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** Null if malformed or longer than the mandatory length. */
function stateOf(tracestate: string | string[] | undefined): string | null {
  if (typeof tracestate !== 'string' || tracestate.length > maxStateLength) return null
  const members = tracestate.split(',').flatMap((text) => withoutSpace(text) || [])
  if (members.length === 0 || members.length > maxMembers) return null
  if (!members.every((text) => member.test(text))) return null
  const keys = new Set(members.map((text) => text.split('=', 1)[0]))
  return keys.size === members.length ? tracestate : null
}

/** Only HTTP's optional whitespace: `trim` removes more, which strict servers reject. */
function withoutSpace(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '')
}
