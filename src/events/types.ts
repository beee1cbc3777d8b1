export type PayloadValue = string | number | boolean | readonly string[] | null

/**
 * What an event tells beside who did it and from where, which its context says: a payload has no
 * field for that. Nothing in it is a credential. Usernames are told once they are known to name an
 * account: people type passwords into the wrong field.
 */
export type Payload = Readonly<Record<string, PayloadValue>> & {
  readonly event?: never
  readonly by?: never
  readonly address?: never
  readonly scheme?: never
  readonly request_id?: never
}

export type EventLevel = 'info' | 'warn'

/** What can happen, by its name in the OWASP Logging Vocabulary, and what is told of it. */
export interface EventType<P extends Payload = Payload> {
  readonly name: string
  readonly level: EventLevel
  /** Never there: it ties the payload to the type. */
  readonly payload?: (payload: P) => void
}

/** A type of event; `warn` for what an operator should look at. Each room has its own in `events.ts`. */
export function eventType<P extends Payload>(
  name: string,
  level: EventLevel = 'info',
): EventType<P> {
  return { name, level }
}

/** Of an event whose name says it all. */
export type NoPayload = Readonly<Record<string, never>>
