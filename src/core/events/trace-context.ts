import type { IncomingHttpHeaders } from 'node:http'

/** The place of some work in a trace: W3C Trace Context, level 1. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** The span that what is called belongs to: 16 hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** The `tracestate` as it came; null without one. */
  readonly state: string | null
}

/** What a span is about: OpenTelemetry's SpanKind, as far as it is met here. */
export type SpanKind = 'internal' | 'server' | 'client'

/** A piece of work that is measured and exported. */
export interface Span extends TraceContext {
  /** Begins a part of this work; answers null if the trace has as many parts as it may have. */
  begin(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | null
  /** Names the work anew, once it is known what it is. */
  rename(name: string): void
  /** Sets an attribute; never a secret, a name of a person, or text that a caller chose. */
  set(name: string, value: string | number): void
  /** Marks the work as failed. `type` is one of few words: the class or the code of an error. */
  fail(type: string): void
  /** Ends the work, once; later calls do nothing. */
  end(): void
}

export type SpanAttributes = Readonly<Record<string, string | number>>

// The form of version 00. A later version may add fields behind a dash: section 4.3 of the standard.
const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x20-\x7e]*)?$/
const versionLength = 55
const maxLength = 256

/**
 * Reads the trace that a caller names; null without one, and for a `traceparent` that is malformed:
 * then `tracestate` does not count either. Of the flags only `sampled` is known.
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

/** The request headers that hand a trace on, in version 00. */
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

/** The state unchanged; null for one that is malformed or longer than must be handed on. */
function stateOf(tracestate: string | string[] | undefined): string | null {
  if (typeof tracestate !== 'string' || tracestate.length > maxStateLength) return null
  const members = tracestate.split(',').flatMap((text) => withoutSpace(text) || [])
  if (members.length === 0 || members.length > maxMembers) return null
  if (!members.every((text) => member.test(text))) return null
  const keys = new Set(members.map((text) => text.split('=', 1)[0]))
  return keys.size === members.length ? tracestate : null
}

/** Without the optional white space of HTTP. `trim` would take bytes that a strict server refuses. */
function withoutSpace(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '')
}
