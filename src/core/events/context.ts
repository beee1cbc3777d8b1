import { AsyncLocalStorage } from 'node:async_hooks'
import type { Credential } from '../policy/principal.ts'
import type { Span, SpanAttributes, SpanKind, TraceContext } from './trace-context.ts'

/** The caller of the work under way and its origin; a field is null if it does not apply. */
export interface EventContext {
  /** The subject of the caller, or `cli`, `bootstrap` or `job`. */
  readonly by: string | null
  /** The client's address. */
  readonly address: string | null
  /** The scheme by which the caller was authenticated. */
  readonly scheme: Credential['scheme'] | null
  readonly requestId: string | null
  /** The request; null for work that is for none. */
  readonly request: RequestFacts | null
}

/** What an event tells of its request, beside the fields of the context. No credential. */
export interface RequestFacts {
  readonly method: string
  /** The pattern of the route; null if the path is unknown. */
  readonly route: string | null
  /** The status of the route's success; null if it has several. */
  readonly successStatus: number | null
  /** As the client sent it, at most 256 characters; null without one. */
  readonly userAgent: string | null
  /** The addresses of the trusted proxies, from the nearest on; empty without any. */
  readonly proxies: readonly string[]
  /** The digest under which the session is stored. */
  readonly session: string | null
  /** The digest of the `jti` of the bearer token. */
  readonly token: string | null
  /** The authentication methods of the caller, RFC 8176. */
  readonly factors: readonly string[]
  /** The username of the caller in canonical form; null without a caller. */
  readonly username: string | null
}

/**
 * Answers the context when an event is recorded: the caller may be authenticated after the start.
 */
export interface ContextSource {
  eventContext(): EventContext
  /** The trace of the work, which its caller named or this service began; null without one. */
  traceContext?(): TraceContext | null
  /** The work, if traces are exported and it is part of one. */
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

/** The context of the work under way. */
export function currentContext(): EventContext {
  return sources.getStore()?.eventContext() ?? noContext
}

/** The trace of the work under way; null without one. */
export function currentTrace(): TraceContext | null {
  return sources.getStore()?.traceContext?.() ?? null
}

/** Whether the work under way is exported as a trace. */
export function isExported(): boolean {
  return (sources.getStore()?.span ?? null) !== null
}

/**
 * Begins a part of the work under way, for the export of traces; null if it is not exported. What is
 * inside of it belongs to the whole again: there is no asynchronous context beside this one.
 */
export function beginSpan(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | null {
  return sources.getStore()?.span?.begin(name, kind, attributes) ?? null
}

/** Does the work, with its asynchronous parts, in the context of a source. */
export function inContextOf<T>(source: ContextSource, work: () => T): T {
  return sources.run(source, work)
}

/** Does work that is not for a request: of the command line, the first start or a job. */
export function inContext<T>(by: 'cli' | 'bootstrap' | 'job', work: () => T): T {
  const context: EventContext = { ...noContext, by }
  return sources.run({ eventContext: () => context }, work)
}

/**
 * Does work that several callers share outside the context of the caller that started it, because
 * its events must not name that caller.
 */
export function inNoContext<T>(work: () => T): T {
  return sources.run(noSource, work)
}
