import type { AuditKeys } from '../../keys/audit-keys.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'
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
import type { AuditRecord } from '../record-form.ts'

type Indexes = Pick<AuditRecord, 'actor_index' | 'target_index' | 'address_index'>

/** The keys of persons, by the pseudonym that records have. */
export interface Persons {
  readonly byPseudonym: ReadonlyMap<string, Person>
  /** The subjects whose key does not open, or has another name. */
  readonly broken: readonly string[]
  /** Whether there are more than are held in memory: then an unknown pseudonym means nothing. */
  readonly isPartial: boolean
}

interface Person {
  readonly key: Uint8Array
  readonly indexes: Readonly<Record<Side, string>>
}

// Some 400 bytes each.
const maxPersons = 250_000
const batchSize = 1000

/** Opens the keys of persons. */
export async function readPersons(store: CheckpointStore, keys: AuditKeys): Promise<Persons> {
  const byPseudonym = new Map<string, Person>()
  const broken: string[] = []
  for (let after = ''; ; ) {
    const batch = await store.subjectsAfter(after, batchSize)
    for (const { subject, pseudonym, sealed } of batch) {
      try {
        const key = openSubjectKey(keys.data, subject, sealed)
        // By another name, a search would take the person for erased.
        if (pseudonym !== pseudonymOf(key)) broken.push(subject)
        const indexes = { actor: personIndex(key, 'actor'), target: personIndex(key, 'target') }
        byPseudonym.set(pseudonymOf(key), { key, indexes })
      } catch {
        broken.push(subject)
      }
    }
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) return { byPseudonym, broken, isPartial: false }
    if (byPseudonym.size >= maxPersons) return { byPseudonym, broken, isPartial: true }
    after = last.subject
  }
}

export type IndexFinding = 'right' | 'erased' | 'unknown' | { readonly wrong: keyof Indexes }

/**
 * Makes the check of the indexes of a record, which its mac does not cover, because an erasure
 * empties them. They follow from the sealed fields: those of a person, whose key must be there, or
 * those of the service. `erasing` has the indexes that an erasure has yet to empty.
 */
export function createIndexCheck(
  keys: AuditKeys,
  { byPseudonym, isPartial }: Persons,
  erasing: ReadonlySet<string>,
): (record: AuditRecord) => IndexFinding {
  return (record) => {
    const actor = opened(record, 'actor')
    const target = opened(record, 'target')
    if (actor === 'closed' || target === 'closed') {
      if (isPartial) return 'unknown'
      // An erasure empties the indexes. Where they are left, the key alone was deleted.
      if (actor === 'closed' && isLeft(record.actor_index)) return { wrong: 'actor_index' }
      if (target === 'closed' && isLeft(record.target_index)) return { wrong: 'target_index' }
      if (actor !== 'closed' && wrongOfActor(record, actor)) return { wrong: 'actor_index' }
      return 'erased'
    }
    const wrong = wrongOfActor(record, actor) ?? wrongOfTarget(record, target)
    return wrong ? { wrong } : 'right'
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
    const expected = byPseudonym.get(name ?? '')?.indexes.actor ?? ofService
    return actor_index === expected ? null : 'actor_index'
  }

  function wrongOfTarget({ target_key: name, target_index }: AuditRecord, fields: Fields) {
    // A name that was typed, and that no account has, stands as its digest in the payload.
    const isTyped = typeof fields?.user_id !== 'number' && typeof fields?.typed === 'string'
    const typed = isTyped ? String(fields.typed) : null
    const expected = byPseudonym.get(name ?? '')?.indexes.target ?? typed
    return target_index === expected ? null : 'target_index'
  }

  type Fields = PersonalFields | null

  function opened(record: AuditRecord, side: Side): PersonalFields | null | 'closed' {
    const name = side === 'actor' ? record.actor_key : record.target_key
    const sealed = side === 'actor' ? record.actor_sealed : record.target_sealed
    if (name === null || sealed === null) return null
    const person = byPseudonym.get(name)
    if (name !== serviceKeyName && !person) return 'closed'
    if (side === 'target' && person) return {} // its index follows from the key alone
    try {
      return openFields(person?.key ?? keys.service, { id: record.id, side }, sealed)
    } catch {
      return null // its mac tells the same
    }
  }

  function addressOf(address: string): string {
    return addressIndex(keys.index, address)
  }
}
