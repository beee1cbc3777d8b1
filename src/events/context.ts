import { AsyncLocalStorage } from 'node:async_hooks'
import type { Credential } from '../kernel/principal.ts'

/** Who is at work, and from where; null where there is no such thing. */
export interface EventContext {
  /** The subject of the caller, or what works by itself. */
  readonly by: string | null
  /** The client's address. */
  readonly address: string | null
  /** How the caller proved who it is. */
  readonly scheme: Credential['scheme'] | null
  readonly requestId: string | null
}

/** Knows the context when an event asks for it: a caller may be authenticated meanwhile. */
export interface ContextSource {
  eventContext(): EventContext
}

const sources = new AsyncLocalStorage<ContextSource>()

const noContext: EventContext = { by: null, address: null, scheme: null, requestId: null }
const noSource: ContextSource = { eventContext: () => noContext }

/** The context of the work that asks. */
export function currentContext(): EventContext {
  return sources.getStore()?.eventContext() ?? noContext
}

/** Does the work, and all that it waits for, in the context of a source. */
export function inContextOf<T>(source: ContextSource, work: () => T): T {
  return sources.run(source, work)
}

/** Does the work as what works by itself, such as the command line or a job. */
export function inContext<T>(by: 'cli' | 'bootstrap' | 'job', work: () => T): T {
  const context: EventContext = { ...noContext, by }
  return sources.run({ eventContext: () => context }, work)
}

/**
 * Does work that several callers wait for, outside the context of the one who happened to be first:
 * an event in it must not name that caller.
 */
export function inNoContext<T>(work: () => T): T {
  return sources.run(noSource, work)
}
