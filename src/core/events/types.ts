export type PayloadValue = string | number | boolean | readonly string[] | null

/**
 * The fields of an event beside those of its context, which a payload must not repeat. It holds no
 * credential, and a username only if an account has it, because users type passwords into the wrong
 * field.
 */
export type Payload = Readonly<Record<string, PayloadValue>> & {
  readonly event?: never
  readonly by?: never
  readonly scheme?: never
  readonly request_id?: never
}

/** The payload of an event that a request can have: `address` is that of the client. */
type PayloadOfRequest = Payload & { readonly address?: never }

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
  /** The text of its line in the log; most have none, because the name says it. */
  readonly message: string | null
  /** Never set: it ties the type of the payload to the type of the event. */
  readonly payload?: (payload: P) => void
}

/**
 * Declares a type of event; `warn` if an operator should look at it. Without an outcome, an event of
 * level `info` is a success and any other a failure. Each module has an `events.ts`.
 */
export function eventType<P extends PayloadOfRequest>(
  name: string,
  level: EventLevel = 'info',
  outcome: EventOutcome = level === 'info' ? 'success' : 'failure',
  message: string | null = null,
): EventType<P> {
  return { name, level, outcome, message }
}

/** The same for an event of the process, which no request has. */
export function eventTypeOfProcess<P extends Payload>(
  ...[name, level, outcome, message]: Parameters<typeof eventType>
): EventType<P> {
  return eventType<Payload & { readonly address?: never }>(
    name,
    level,
    outcome,
    message,
  ) as EventType
}

/** The payload of an event without fields. */
export type NoPayload = Readonly<Record<string, never>>
