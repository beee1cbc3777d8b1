import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { AuditKeys } from '../keys/audit-keys.ts'
import {
  openFields,
  openSubjectKey,
  type PersonalFields,
  type Side,
  serviceKeyName,
} from './persons.ts'
import { type ReadRecord, subjectsNamed } from './read-store.ts'

/** Fields: see `AuditRecordBody`. */
export interface OpenedRecord {
  readonly number: number
  readonly id: string
  readonly at: string
  readonly type: string
  readonly level: 'info' | 'warn' | 'critical'
  readonly outcome: 'success' | 'failure'
  readonly reason: string | null
  readonly count: number
  readonly count_since: string | null
  readonly actor: {
    readonly kind: string | null
    readonly subject: string | null
    readonly username: string | null
  }
  readonly target: { readonly user_id: number | null; readonly username: string | null } | null
  readonly details: PersonalFields | null
  readonly address: string | null
  readonly proxies: string[]
  readonly user_agent: string | null
  readonly session: string | null
  readonly token: string | null
  readonly key: string | null
  readonly scheme: string | null
  readonly factors: string[]
  readonly method: string | null
  readonly route: string | null
  readonly status: number | null
  readonly request_id: string | null
  readonly instance: string | null
  readonly version: string | null
  readonly chain: string
  readonly place: number
  readonly erased: boolean
  /** A key exists but does not open its fields. */
  readonly damaged: boolean
}

/** By pseudonym; null if unreadable. */
type Keys = ReadonlyMap<string, Uint8Array | null>

/** Null if absent, erased, or damaged. */
interface Opened {
  readonly fields: PersonalFields | null
  readonly isErased: boolean
  readonly isDamaged: boolean
}

const nothing: Opened = { fields: null, isErased: false, isDamaged: false }

/** Never throws: erased and damaged fields are null and flagged. */
export async function openRecords(
  db: DatabaseOrTransaction,
  auditKeys: AuditKeys,
  records: readonly ReadRecord[],
): Promise<OpenedRecord[]> {
  const keys = await keysOf(db, auditKeys, records)
  return records.map((record) => {
    const actor = openSide('actor', record.actor_key, record.actor_sealed, record.id, keys)
    const target = openSide('target', record.target_key, record.target_sealed, record.id, keys)
    return show(record, actor, target)
  })
}

async function keysOf(
  db: DatabaseOrTransaction,
  { data, service }: AuditKeys,
  records: readonly ReadRecord[],
): Promise<Keys> {
  const names = new Set<string>()
  for (const { actor_key, target_key } of records) {
    for (const name of [actor_key, target_key]) {
      if (name !== null && name !== serviceKeyName) names.add(name)
    }
  }
  const keys = new Map<string, Uint8Array | null>([[serviceKeyName, service]])
  for (const { subject, pseudonym, sealed } of await subjectsNamed(db, [...names])) {
    keys.set(
      pseudonym,
      openedOrNull(() => openSubjectKey(data, subject, sealed)),
    )
  }
  return keys
}

function openSide(
  side: Side,
  name: string | null,
  sealed: string | null,
  id: string,
  keys: Keys,
): Opened {
  if (name === null || sealed === null) return { ...nothing, isDamaged: name !== sealed }
  const key = keys.get(name)
  if (key === undefined) return { ...nothing, isErased: true }
  const fields = key && openedOrNull(() => openFields(key, { id, side }, sealed))
  return { fields, isErased: false, isDamaged: fields === null }
}

function show(record: ReadRecord, actor: Opened, target: Opened): OpenedRecord {
  const facts = objectOf(openedOrNull(() => JSON.parse(record.facts)))
  const person = actor.fields ?? {}
  const { user_id, username, ...details } = target.fields ?? {}
  const userId = numberOf(user_id) ?? numberOf(details.author_id)
  const hasTarget = userId !== null || username !== undefined
  return {
    number: record.number,
    id: record.id,
    at: shownTime(record.at),
    type: record.type,
    level: record.level,
    outcome: record.outcome,
    reason: record.reason,
    count: numberOf(facts?.count) ?? 1,
    count_since: timeOf(facts?.since),
    actor: {
      kind: textOf(facts?.actor),
      subject: textOf(person.subject),
      username: textOf(person.username),
    },
    target: hasTarget ? { user_id: userId, username: textOf(username) } : null,
    details: target.fields && details,
    address: textOf(person.address),
    proxies: textsOf(person.proxies),
    user_agent: textOf(person.user_agent),
    session: textOf(person.session),
    token: textOf(person.token),
    key: textOf(person.key),
    scheme: textOf(facts?.scheme),
    factors: textsOf(facts?.factors),
    method: textOf(facts?.method),
    route: textOf(facts?.route),
    status: numberOf(facts?.status),
    request_id: record.request_id,
    instance: textOf(facts?.instance),
    version: textOf(facts?.version),
    chain: record.chain,
    place: record.place,
    erased: actor.isErased || target.isErased,
    damaged: actor.isDamaged || target.isDamaged || facts === null,
  }
}

/** Null for changed data. */
export function openedOrNull<T>(open: () => T): T | null {
  try {
    return open()
  } catch {
    return null
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function numberOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null
}

function timeOf(value: unknown): string | null {
  const time = numberOf(value)
  return time === null ? null : shownTime(time)
}

const firstTimeMs = -62_135_596_800_000 // year 1, the minimum of RFC 3339
const lastTimeMs = 253_402_300_799_999 // year 9999

/** A changed time may be out of range. */
function shownTime(milliseconds: number): string {
  return isoTime(Math.max(firstTimeMs, Math.min(milliseconds, lastTimeMs)))
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}
