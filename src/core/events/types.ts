import type { Language } from '../lib/languages.ts'

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

/** The groups of the audit view: each is a filter for events that answer one question together. */
export const eventGroups = [
  'logins',
  'refusedLogins',
  'attacks',
  'accounts',
  'credentials',
  'administration',
  'service',
  'reads',
] as const
export type EventGroup = (typeof eventGroups)[number]

/** What docs/events.md and the console say of a type of event. */
interface EventTexts<Field extends PropertyKey = string> {
  /** The end of the sentence "The event happens when ...", for docs/events.md. */
  readonly description: string
  /** What docs/events.md says of each field of the payload; empty if the name of the field says it. */
  readonly fields: Readonly<Record<Field, string>>
  /** What the console shows for the event. No two events have the same words. */
  readonly words: Readonly<Record<Language, string>>
  readonly groups: readonly EventGroup[]
  /** Whether the overview lists the event; `ifByAnother`: only if another than the new person acted. */
  readonly inOverview?: true | 'ifByAnother'
}

/**
 * A type of event: its name, from the OWASP Logging Vocabulary if there is one, and its payload.
 */
export interface EventType<P extends Payload = Payload> extends EventTexts {
  readonly name: string
  /** The name before a renaming, which stored records and subscriptions keep: see `namesOfEvent`. */
  readonly formerly?: string
  readonly level: EventLevel
  /** `failure`: something was refused, or did not succeed. */
  readonly outcome: EventOutcome
  /** The text of its line in the log; most have none, because the name says it. */
  readonly message: string | null
  /** Never set: it ties the type of the payload to the type of the event. */
  readonly payload?: (payload: P) => void
}

type FieldOf<P> = P extends unknown ? Extract<keyof P, string> : never

type Declared<P extends Payload> = EventTexts<FieldOf<P>> &
  Partial<Pick<EventType, 'formerly' | 'level' | 'outcome' | 'message'>>

/**
 * Declares a type of event; `warn` if an operator should look at it. Without an outcome, an event of
 * level `info` is a success and any other a failure. Each module has an `events.ts`, which imports
 * nothing that runs in the service alone: the build of the console loads it too.
 */
export function eventType<P extends PayloadOfRequest>(
  name: string,
  { level = 'info', ...declared }: Declared<P>,
): EventType<P> {
  const outcome = level === 'info' ? 'success' : 'failure'
  return { name, level, outcome, message: null, ...declared }
}

/** The same for an event of the process, which no request has. */
export function eventTypeOfProcess<P extends Payload>(
  name: string,
  declared: Declared<P>,
): EventType<P> {
  return eventType<PayloadOfRequest>(name, declared) as EventType
}

/** All names of the type of event that has the name `name`, or had it; of an unknown type its name. */
export function namesOfEvent(
  known: readonly Pick<EventType, 'name' | 'formerly'>[],
  name: string,
): readonly string[] {
  const type = known.find((each) => each.name === name || each.formerly === name)
  return type?.formerly === undefined ? [name] : [type.name, type.formerly]
}

/** The payload of an event without fields. */
export type NoPayload = Readonly<Record<string, never>>
