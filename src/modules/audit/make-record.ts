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

export interface Entry {
  /** ULID of the event time. */
  readonly id: string
  readonly event: RecordedEvent
  /** HTTP status, if the event changes nothing. */
  readonly status?: number | null
  /** Rejection code, if the event has none. */
  readonly reason?: string | null
  /** Pseudonyms of erased keys. */
  readonly closed?: readonly string[]
}

/** Null if unknown. */
export interface Subjects {
  readonly actor: string | null
  readonly target: string | null
}

export interface Writer {
  readonly instance: string
  readonly version: string
}

export interface Seals {
  readonly keys: AuditKeys
  readonly persons: ReadonlyMap<string, SubjectKey>
  readonly random: Random
}

export type Unchained = Omit<NewRecord, 'chain' | 'place' | 'mac'>

// Other reasons may be free text that names a person, so they stay sealed.
const reasonCode = /^[a-z][a-z0-9_]{0,63}$/

/**
 * A success without a caller is a login or follows from a login: the person concerned acted.
 * Failures, and requests that strangers may make for an account, have an unknown actor.
 */
export function subjectsOf({ type, payload, context, hidesPerson }: RecordedEvent): Subjects {
  const { user_id, author_id } = payload
  const id = user_id ?? author_id
  const target = typeof id === 'number' ? String(id) : null
  const proven = type.outcome === 'success' && !hidesPerson ? target : null
  return { actor: context.by ?? (context.request ? proven : null), target }
}

/** Persons have keys. */
export function personsIn(entries: readonly Entry[]): Set<string> {
  const persons = new Set<string>()
  for (const { event } of entries) {
    const { actor, target } = subjectsOf(event)
    if (actor !== null && isPerson(actor)) persons.add(actor)
    if (target !== null) persons.add(target)
  }
  return persons
}

/** Users inserted by the transaction: no other transaction can have stored a key for them. */
export function newPersonsIn(entries: readonly Entry[]): Set<string> {
  const targets = entries.map(({ event }) => (event.isNewPerson ? subjectsOf(event).target : null))
  return new Set(targets.filter((target) => target !== null))
}

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

/** These fields stay readable. */
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
 * Keys of an erasure, and unstored keys that seal these fields. `audit verify` accepts no other
 * missing key.
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

/** `user`, `external`, `client`, `cli`, `bootstrap`, `job` or `unknown`. */
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
  // An authenticated caller acts on the target's login.
  const own = by === null ? login : undefined
  const fields = {
    subject: subject ?? undefined,
    username: subject === null ? undefined : (request?.username ?? proven ?? own?.username),
    address: address ?? undefined,
    proxies: request && request.proxies.length > 0 ? request.proxies : undefined,
    user_agent: request?.userAgent ?? undefined,
    session: request?.session ?? own?.session,
    token: request?.token ?? (own?.jti === undefined ? undefined : digest(own.jti)),
    key: request?.keyId ?? undefined,
  }
  return Object.values(fields).some((value) => value !== undefined) ? fields : null
}

function targetFields(event: RecordedEvent, { keys }: Seals): PersonalFields | null {
  const unknown = unknownName(event)
  const { payload, typed = null } = event
  const digested = unknown === null ? {} : { typed: typedName(keys.index, unknown) }
  // The typed name of an existing account is sealed with its key.
  const named = unknown === null && typed !== null ? { username: typed } : {}
  const fields = { ...payload, ...digested, ...named }
  return Object.keys(fields).length > 0 ? (fields as PersonalFields) : null // payloads are JSON
}

function typedIndex(event: RecordedEvent, { keys }: Seals): string | null {
  const typed = unknownName(event)
  return typed === null ? null : typedName(keys.index, typed)
}

/** Null if the event knows the user. */
function unknownName({ payload, typed = null }: RecordedEvent): string | null {
  return typeof payload.user_id === 'number' ? null : typed
}

interface Sealed {
  readonly key: string | null
  readonly sealed: string | null
  readonly index: string | null
}

/** Under the person's key, or the service key without a person. */
function sealedSide(
  side: Side,
  subject: string | null,
  fields: PersonalFields | null,
  id: string,
  { keys, persons, random }: Seals,
): Sealed {
  if (fields === null) return { key: null, sealed: null, index: null }
  const person = persons.get(subject ?? '')
  const sealed = sealFields(random, person?.key ?? keys.service, { id, side }, fields)
  if (person) {
    const index = side === 'actor' ? person.actorIndex : person.targetIndex
    return { key: person.pseudonym, sealed, index }
  }
  const index = subject === null ? null : serviceIndex(keys.index, subject, side)
  return { key: serviceKeyName, sealed, index }
}
