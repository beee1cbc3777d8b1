import type { Language } from '../lib/languages.ts'

export type PayloadValue = string | number | boolean | readonly string[] | null

/**
 * Fields besides the context, which a payload must not repeat. No credentials, and only usernames
 * of accounts: users type passwords into the wrong field.
 */
export type Payload = Readonly<Record<string, PayloadValue>> & {
  readonly event?: never
  readonly by?: never
  readonly scheme?: never
  readonly request_id?: never
}

/** In requests, `address` is the client's. */
type PayloadOfRequest = Payload & { readonly address?: never }

/** `critical`: immediate action needed; logged as error. */
export type EventLevel = 'info' | 'warn' | 'critical'

export type EventOutcome = 'success' | 'failure'

/** Filters of the audit view. */
export const eventGroups = [
  'logins',
  'refusedLogins',
  'attacks',
  'accounts',
  'credentials',
  'administration',
  'applications',
  'service',
  'reads',
] as const
export type EventGroup = (typeof eventGroups)[number]

export interface EventNotice {
  /** The message of the mail; default: one with the words of the event. */
  readonly message?: string
  /** The module of the event sends the mail itself. */
  readonly isMailed?: false
  /** The field that names who gets the notice; default: `user_id`. */
  readonly to?: string
  /** Which events of the type make a notice; default: all. */
  isOf?(payload: Payload): boolean
}

/** For docs/events.md and the console. */
interface EventTexts<Field extends PropertyKey = string> {
  /** Completes "The event happens when ...". */
  readonly description: string
  /** Payload fields in docs/events.md; empty if self-explanatory. */
  readonly fields: Readonly<Record<Field, string>>
  /** For the console; unique per event. */
  readonly words: Readonly<Record<Language, string>>
  readonly groups: readonly EventGroup[]
  /** `ifByAnother`: only if someone other than the new person acted. */
  readonly inOverview?: true | 'ifByAnother'
  /** The owner of an account gets a notice: docs/notices.md. */
  readonly notice?: EventNotice
}

/** Names follow the OWASP Logging Vocabulary where possible. */
export interface EventType<P extends Payload = Payload> extends EventTexts {
  readonly name: string
  /** The previous name, still in stored records and subscriptions: see `namesOfEvent`. */
  readonly formerly?: string
  readonly level: EventLevel
  /** `failure`: rejected or unsuccessful. */
  readonly outcome: EventOutcome
  /** The log message; usually null. */
  readonly message: string | null
  /** Never set: a phantom type for the payload. */
  readonly payload?: (payload: P) => void
}

type FieldOf<P> = P extends unknown ? Extract<keyof P, string> : never

type Declared<P extends Payload> = EventTexts<FieldOf<P>> &
  Partial<Pick<EventType, 'formerly' | 'level' | 'outcome' | 'message'>>

/**
 * `warn`: an operator should look. Default outcome: success for `info`, else failure. Each module's
 * `events.ts` must not import server-only code: the console build loads the file.
 */
export function eventType<P extends PayloadOfRequest>(
  name: string,
  { level = 'info', ...declared }: Declared<P>,
): EventType<P> {
  const outcome = level === 'info' ? 'success' : 'failure'
  return { name, level, outcome, message: null, ...declared }
}

/** For process events without a request. */
export function eventTypeOfProcess<P extends Payload>(
  name: string,
  declared: Declared<P>,
): EventType<P> {
  return eventType<PayloadOfRequest>(name, declared) as EventType
}

/** Current and previous names; an unknown name is returned alone. */
export function namesOfEvent(
  known: readonly Pick<EventType, 'name' | 'formerly'>[],
  name: string,
): readonly string[] {
  const type = known.find((each) => each.name === name || each.formerly === name)
  return type?.formerly === undefined ? [name] : [type.name, type.formerly]
}

export type NoPayload = Readonly<Record<string, never>>
