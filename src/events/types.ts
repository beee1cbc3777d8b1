export type PayloadValue = string | number | boolean | readonly string[] | null

/**
 * The fields of an event beside those of its context, which a payload must not repeat. It holds no
 * credential, and a username only if an account has it, because users type passwords into the wrong
 * field.
 */
export type Payload = Readonly<Record<string, PayloadValue>> & {
  readonly event?: never
  readonly by?: never
  readonly address?: never
  readonly scheme?: never
  readonly request_id?: never
}

export type EventLevel = 'info' | 'warn'

/**
 * A type of event: its name, from the OWASP Logging Vocabulary if there is one, and its payload.
 */
export interface EventType<P extends Payload = Payload> {
  readonly name: string
  readonly level: EventLevel
  /** Never set: it ties the type of the payload to the type of the event. */
  readonly payload?: (payload: P) => void
}

/**
 * Declares a type of event; `warn` if an operator should look at it. Each room has an `events.ts`.
 */
export function eventType<P extends Payload>(
  name: string,
  level: EventLevel = 'info',
): EventType<P> {
  return { name, level }
}

/** The payload of an event without fields. */
export type NoPayload = Readonly<Record<string, never>>
