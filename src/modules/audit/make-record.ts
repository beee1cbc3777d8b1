import { digest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import type { AuditKeys } from '../keys/audit-keys.ts'
import { canonicalJson } from './canonical-json.ts'
import {
  addressIndex,
  isPerson,
  type PersonalFields,
  type Side,
  sealFields,
  serviceIndex,
  serviceKeyName,
  typedName,
} from './persons.ts'
import type { NewRecord } from './store.ts'
import type { SubjectKey } from './subject-keys.ts'

/** An event on its way into the log. */
export interface Entry {
  /** A ULID of the time of the event. */
  readonly id: string
  readonly event: RecordedEvent
  /** The status of the answer if the event changes nothing; the route says the status of a change. */
  readonly status?: number | null
  /** The code of a refusal, if the event itself has none. */
  readonly reason?: string | null
  /** The names of the keys of persons that its transaction has erased. */
  readonly closed?: readonly string[]
}

/** The subjects of an event: its actor and its target; null if no person or program is known. */
export interface Subjects {
  readonly actor: string | null
  readonly target: string | null
}

/** The process that writes. */
export interface Writer {
  readonly instance: string
  readonly version: string
}

/** What seals the fields of a record. */
export interface Seals {
  readonly keys: AuditKeys
  readonly persons: ReadonlyMap<string, SubjectKey>
  readonly random: Random
}

/** A record without its place in a chain. */
export type Unchained = Omit<NewRecord, 'chain' | 'place' | 'mac'>

// What a payload calls a reason may also be a text, such as an error of another service: that is
// sealed with the payload, because it can name anything.
const reasonCode = /^[a-z][a-z0-9_]{0,63}$/

/**
 * The subjects of an event. A success without a caller is a login, or follows from one: the person
 * whom it concerns has acted. A failure without a caller has no known actor, only an address, and nor
 * has what any stranger may ask for an account, such as a mail.
 */
export function subjectsOf({ type, payload, context, hidesPerson }: RecordedEvent): Subjects {
  const { user_id, author_id } = payload
  const id = user_id ?? author_id
  const target = typeof id === 'number' ? String(id) : null
  const proven = type.outcome === 'success' && !hidesPerson ? target : null
  return { actor: context.by ?? (context.request ? proven : null), target }
}

/** Those subjects who are persons, and so have keys. */
export function personsIn(entries: readonly Entry[]): Set<string> {
  const persons = new Set<string>()
  for (const { event } of entries) {
    const { actor, target } = subjectsOf(event)
    if (actor !== null && isPerson(actor)) persons.add(actor)
    if (target !== null) persons.add(target)
  }
  return persons
}

/** Makes the record of an event: what names a person is sealed, and the rest is readable. */
export function makeRecord(entry: Entry, writer: Writer, seals: Seals): Unchained {
  const { event, id, reason = null } = entry
  const { type, payload, context, at } = event
  const subjects = subjectsOf(event)
  const actor = sealedSide('actor', subjects.actor, actorFields(event, subjects.actor), id, seals)
  const target = sealedSide('target', subjects.target, targetFields(event, seals), id, seals)
  const { address } = context
  const code = payload.reason
  return {
    id,
    at,
    type: type.name,
    level: type.level,
    outcome: type.outcome,
    reason: typeof code === 'string' && reasonCode.test(code) ? code : reason,
    request_id: context.requestId,
    facts: canonicalJson({
      ...factsOf(entry, writer, subjects.actor),
      ...closedBy(entry, [actor.key, target.key], seals),
    }),
    actor_key: actor.key,
    actor_sealed: actor.sealed,
    target_key: target.key,
    target_sealed: target.sealed,
    actor_index: actor.index,
    target_index: target.index ?? typedIndex(event, seals),
    address_index: address === null ? null : addressIndex(seals.keys.index, address),
  }
}

/** The fields that name no person. */
function factsOf({ event, status }: Entry, writer: Writer, actor: string | null) {
  const { context, login, payload, type } = event
  const { request, scheme } = context
  const factors = request && request.factors.length > 0 ? request.factors : login?.factors
  const ofRoute = type.outcome === 'success' ? request?.successStatus : undefined
  return {
    actor: kindOf(actor),
    scheme: scheme ?? undefined,
    factors: factors && factors.length > 0 ? factors : undefined,
    method: request?.method,
    route: request?.route ?? undefined,
    status: status ?? ofRoute ?? undefined,
    count: typeof payload.count === 'number' ? payload.count : undefined,
    ...writer,
  }
}

/**
 * The names of the keys that this record lists as erased: the keys of an erasure, and keys that seal
 * fields of this record and are not stored. `audit verify` accepts no other key as erased.
 */
function closedBy(
  { event, closed = [] }: Entry,
  names: readonly (string | null)[],
  { persons }: Seals,
) {
  const unkept = [...persons.values()].flatMap(({ pseudonym, actorIndex }) =>
    actorIndex === null && names.includes(pseudonym) ? [pseudonym] : [],
  )
  const { unlisted } = event
  const all = new Set([...(event.closed ?? []), ...closed, ...unkept, ...(unlisted?.closed ?? [])])
  return {
    closed: all.size > 0 || unlisted ? [...all] : undefined,
    closed_through: unlisted?.through,
  }
}

/** The kind of the actor: `user`, `external`, `client`, `cli`, `bootstrap`, `job` or `unknown`. */
function kindOf(actor: string | null): string {
  if (actor === null) return 'unknown'
  if (actor.startsWith('client:')) return 'client'
  if (!isPerson(actor)) return actor
  return actor.includes('#') ? 'external' : 'user'
}

function actorFields(
  { context, payload, login }: RecordedEvent,
  subject: string | null,
): PersonalFields | null {
  const { address, request, by } = context
  const proven = by === null && typeof payload.username === 'string' ? payload.username : undefined
  // A caller with a credential acts on another login, which is that of the target.
  const own = by === null ? login : undefined
  const fields = {
    subject: subject ?? undefined,
    username: subject === null ? undefined : (request?.username ?? proven ?? own?.username),
    address: address ?? undefined,
    proxies: request && request.proxies.length > 0 ? request.proxies : undefined,
    user_agent: request?.userAgent ?? undefined,
    session: request?.session ?? own?.session,
    token: request?.token ?? (own?.jti === undefined ? undefined : digest(own.jti)),
  }
  return Object.values(fields).some((value) => value !== undefined) ? fields : null
}

function targetFields(event: RecordedEvent, { keys }: Seals): PersonalFields | null {
  const unknown = unknownName(event)
  const { payload, typed = null } = event
  const digested = unknown === null ? {} : { typed: typedName(keys.index, unknown) }
  // The name that was typed is that of the account, if there is one: it is sealed with it.
  const named = unknown === null && typed !== null ? { username: typed } : {}
  const fields = { ...payload, ...digested, ...named }
  return Object.keys(fields).length > 0 ? (fields as PersonalFields) : null // a payload is JSON
}

function typedIndex(event: RecordedEvent, { keys }: Seals): string | null {
  const typed = unknownName(event)
  return typed === null ? null : typedName(keys.index, typed)
}

/** The name that was typed, unless the event knows the user. */
function unknownName({ payload, typed = null }: RecordedEvent): string | null {
  return typeof payload.user_id === 'number' ? null : typed
}

interface Sealed {
  readonly key: string | null
  readonly sealed: string | null
  readonly index: string | null
}

/** Seals the fields of a side under the key of its person; under the service's if there is none. */
function sealedSide(
  side: Side,
  subject: string | null,
  fields: PersonalFields | null,
  id: string,
  { keys, persons, random }: Seals,
): Sealed {
  if (fields === null) return { key: null, sealed: null, index: null }
  const person = subject === null ? undefined : persons.get(subject)
  const sealed = sealFields(random, person?.key ?? keys.service, { id, side }, fields)
  if (person) {
    const index = side === 'actor' ? person.actorIndex : person.targetIndex
    return { key: person.pseudonym, sealed, index }
  }
  const index = subject === null ? null : serviceIndex(keys.index, subject, side)
  return { key: serviceKeyName, sealed, index }
}
