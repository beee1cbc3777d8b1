import { AsyncLocalStorage } from 'node:async_hooks'
import type { Credential } from '../policy/principal.ts'
import type { Span, SpanAttributes, SpanKind, TraceContext } from './trace-context.ts'

/** Null fields do not apply. */
export interface EventContext {
  /** The caller's subject, or `cli`, `bootstrap` or `job`. */
  readonly by: string | null
  /** The client's address. */
  readonly address: string | null
  readonly scheme: Credential['scheme'] | null
  readonly requestId: string | null
  readonly request: RequestFacts | null
}

/** No credentials. */
export interface RequestFacts {
  readonly method: string
  /** The route pattern; null for unknown paths. */
  readonly route: string | null
  /** Null if the route has several. */
  readonly successStatus: number | null
  /** At most 256 characters. */
  readonly userAgent: string | null
  /** Trusted proxies, nearest first. */
  readonly proxies: readonly string[]
  /** The stored session digest. */
  readonly session: string | null
  /** Digest of the bearer token's `jti`. */
  readonly token: string | null
  /** The id of a key or app password, never its text. */
  readonly keyId: string | null
  /** RFC 8176. */
  readonly factors: readonly string[]
  /** Canonical form. */
  readonly username: string | null
}

/** Read when an event is recorded: authentication may follow the start. */
export interface ContextSource {
  eventContext(): EventContext
  /** From the caller or begun here. */
  traceContext?(): TraceContext | null
  /** Set if traces are exported. */
  readonly span?: Span | null
}

const sources = new AsyncLocalStorage<ContextSource>()

const noContext: EventContext = {
  by: null,
  address: null,
  scheme: null,
  requestId: null,
  request: null,
}
const noSource: ContextSource = { eventContext: () => noContext }

export function currentContext(): EventContext {
  return sources.getStore()?.eventContext() ?? noContext
}

export function currentTrace(): TraceContext | null {
  return sources.getStore()?.traceContext?.() ?? null
}

export function isExported(): boolean {
  return (sources.getStore()?.span ?? null) !== null
}

/**
 * Begins an exported span; null if not exported. Nested work still belongs to the root: no further
 * asynchronous context exists.
 */
export function beginSpan(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | null {
  return sources.getStore()?.span?.begin(name, kind, attributes) ?? null
}

/** Includes asynchronous work. */
export function inContextOf<T>(source: ContextSource, work: () => T): T {
  return sources.run(source, work)
}

export function inContext<T>(by: 'cli' | 'bootstrap' | 'job', work: () => T): T {
  const context: EventContext = { ...noContext, by }
  return sources.run({ eventContext: () => context }, work)
}

/** Runs shared work outside the starting caller's context: its events must not name that caller. */
export function inNoContext<T>(work: () => T): T {
  return sources.run(noSource, work)
}
