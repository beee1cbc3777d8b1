import { rowsOf } from '../../../core/database/batches.ts'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import type { AuditKeys } from '../../keys/audit-keys.ts'
import { checkpointStore } from '../checkpoint-store.ts'
import { openedOrNull } from '../opened-record.ts'
import {
  addressIndex,
  openFields,
  openSubjectKey,
  type PersonalFields,
  personIndex,
  pseudonymOf,
  type Side,
  serviceIndex,
  serviceKeyName,
} from '../persons.ts'
import { subjectsNamed } from '../read-store.ts'
import type { AuditRecord } from '../record-form.ts'

type Indexes = Pick<AuditRecord, 'actor_index' | 'target_index' | 'address_index'>

export interface Persons {
  get(pseudonym: string): Person | undefined
  /** Unreadable keys or wrong pseudonyms, by subject. */
  readonly broken: readonly string[]
  /** For more persons than fit in memory. */
  load(records: readonly AuditRecord[]): Promise<void>
}

interface Person {
  readonly name: string
  readonly key: Uint8Array
  readonly indexes: Readonly<Record<Side, string>>
}

// 400 bytes each.
const maxPersons = 250_000
const namesAtOnce = 500

export async function readPersons(
  db: DatabaseOrTransaction,
  keys: AuditKeys,
  max = maxPersons,
): Promise<Persons> {
  const held = new Map<string, Person>()
  let loaded = new Map<string, Person>()
  const broken: string[] = []
  let isPartial = false
  const rows = rowsOf({
    from: '',
    read: checkpointStore(db).subjectsAfter,
    placeOf: ({ subject }) => subject,
  })
  for await (const row of rows) {
    const person = opened(row)
    // A search would treat the person as erased.
    if (person?.name !== row.pseudonym) broken.push(row.subject)
    if (person && held.size < max) held.set(person.name, person)
    else if (person) isPartial = true
  }
  return {
    broken,
    get: (name) => held.get(name) ?? loaded.get(name),
    async load(records) {
      if (!isPartial) return
      loaded = new Map()
      const named = records
        .flatMap(({ actor_key, target_key }) => [actor_key, target_key])
        .filter((name) => name !== null)
      const missing = [...new Set(named).difference(held)]
      for (let from = 0; from < missing.length; from += namesAtOnce) {
        for (const row of await subjectsNamed(db, missing.slice(from, from + namesAtOnce))) {
          const person = opened(row)
          if (person) loaded.set(person.name, person)
        }
      }
    },
  }

  function opened({ subject, sealed }: { subject: string; sealed: string }): Person | null {
    const key = openedOrNull(() => openSubjectKey(keys.data, subject, sealed))
    if (!key) return null
    const indexes = { actor: personIndex(key, 'actor'), target: personIndex(key, 'target') }
    return { name: pseudonymOf(key), key, indexes }
  }
}

/** `closed`: pseudonyms of missing keys. */
export interface IndexFinding {
  readonly wrong: keyof Indexes | null
  readonly closed: readonly string[]
}

/**
 * Recomputes indexes from sealed fields: the mac does not cover indexes, because erasures empty
 * them. `erasing`: indexes still to empty.
 */
export function createIndexCheck(
  keys: AuditKeys,
  persons: Pick<Persons, 'get'>,
  erasing: ReadonlySet<string>,
): (record: AuditRecord) => IndexFinding {
  return (record) => {
    const actor = opened(record, 'actor')
    const target = opened(record, 'target')
    const closed = [
      ...(actor === 'closed' ? [record.actor_key ?? ''] : []),
      ...(target === 'closed' ? [record.target_key ?? ''] : []),
    ]
    return { wrong: wrongOf(record, actor, target), closed }
  }

  type Opened = PersonalFields | null | 'closed'

  function wrongOf(record: AuditRecord, actor: Opened, target: Opened): IndexFinding['wrong'] {
    // Remaining indexes prove that only the key was deleted, without an erasure.
    const leftOf = (side: 'actor_index' | 'target_index') => (isLeft(record[side]) ? side : null)
    const ofActor = actor === 'closed' ? leftOf('actor_index') : wrongOfActor(record, actor)
    return ofActor ?? (target === 'closed' ? leftOf('target_index') : wrongOfTarget(record, target))
  }

  function isLeft(index: string | null): boolean {
    return index !== null && !erasing.has(index)
  }

  function wrongOfActor(record: AuditRecord, fields: PersonalFields | null) {
    const { actor_key: name, actor_index, address_index } = record
    const address = typeof fields?.address === 'string' ? fields.address : null
    if (address_index !== (address === null ? null : addressOf(address))) return 'address_index'
    const subject = typeof fields?.subject === 'string' ? fields.subject : null
    const ofService = subject === null ? null : serviceIndex(keys.index, subject, 'actor')
    const expected = persons.get(name ?? '')?.indexes.actor ?? ofService
    return actor_index === expected ? null : 'actor_index'
  }

  function wrongOfTarget({ target_key: name, target_index }: AuditRecord, fields: Fields) {
    // The payload has the digest of a typed name.
    const isTyped = typeof fields?.user_id !== 'number' && typeof fields?.typed === 'string'
    const typed = isTyped ? String(fields.typed) : null
    const expected = persons.get(name ?? '')?.indexes.target ?? typed
    return target_index === expected ? null : 'target_index'
  }

  type Fields = PersonalFields | null

  function opened(record: AuditRecord, side: Side): Opened {
    const name = side === 'actor' ? record.actor_key : record.target_key
    const sealed = side === 'actor' ? record.actor_sealed : record.target_sealed
    if (sealed === null) return null
    const person = persons.get(name ?? '')
    if (name !== serviceKeyName && !person) return 'closed'
    if (side === 'target' && person) return {} // depends on the key alone
    try {
      return openFields(person?.key ?? keys.service, { id: record.id, side }, sealed)
    } catch {
      return null // the mac reports the change
    }
  }

  function addressOf(address: string): string {
    return addressIndex(keys.index, address)
  }
}
