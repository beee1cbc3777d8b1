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

/** `critical`: an operator should act on it at once; the log writes it as an error. */
export type EventLevel = 'info' | 'warn' | 'critical'

export type EventOutcome = 'success' | 'failure'

/**
 * A type of event: its name, from the OWASP Logging Vocabulary if there is one, and its payload.
 */
export interface EventType<P extends Payload = Payload> {
  readonly name: string
  readonly level: EventLevel
  /** `failure`: something was refused, or did not succeed. */
  readonly outcome: EventOutcome
  /** Never set: it ties the type of the payload to the type of the event. */
  readonly payload?: (payload: P) => void
}

/**
 * Declares a type of event; `warn` if an operator should look at it. Without an outcome, an event of
 * level `info` is a success and any other a failure. Each room has an `events.ts`.
 */
export function eventType<P extends Payload>(
  name: string,
  level: EventLevel = 'info',
  outcome: EventOutcome = level === 'info' ? 'success' : 'failure',
): EventType<P> {
  return { name, level, outcome }
}

/** The payload of an event without fields. */
export type NoPayload = Readonly<Record<string, never>>
