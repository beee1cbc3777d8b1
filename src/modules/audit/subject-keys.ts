import type { Random } from '../../core/crypto/random.ts'
import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import { openedOrNull } from './opened-record.ts'
import {
  newSubjectKey,
  openSubjectKey,
  personIndex,
  pseudonymOf,
  sealSubjectKey,
} from './persons.ts'
import { auditStore } from './store.ts'

/** The key of a person, with what is computed from it for each record. */
export interface SubjectKey {
  readonly key: Uint8Array
  readonly pseudonym: string
  /** Null for a person who was erased: no record is found by such a key. */
  readonly actorIndex: string | null
  readonly targetIndex: string | null
}

export interface SubjectKeys {
  /**
   * Answers the keys of subjects, and makes missing ones in the transaction. For a user who is gone
   * it answers a key that is stored nowhere: what it seals opens no more.
   */
  of(
    trx: DatabaseOrTransaction,
    dataKey: Uint8Array,
    subjects: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, SubjectKey>>
  /** The same at the same cost for no person and for one, known or not: see `hidesPerson`. */
  evenlyOf: SubjectKeys['of']
  /** Drops keys of erased persons from the memory, by their names in records. */
  forget(pseudonyms: readonly string[]): void
}

/** Stands in for a person where there is none; no user has this id. */
const decoy = '0'

const maxKnown = 5000 // some 500 bytes each

/** Makes the keys of persons, of which the last used ones are kept in memory. */
export function createSubjectKeys(random: Random): SubjectKeys {
  const known = new BoundedMap<string, SubjectKey>(maxKnown)
  // A transaction that has read a key may end after the erasure: it must not bring it back.
  const erased = new BoundedMap<string, true>(maxKnown)

  return {
    async of(trx, dataKey, subjects) {
      const keys = new Map<string, SubjectKey>()
      for (const subject of subjects) {
        const key = known.get(subject)
        if (key) keys.set(subject, key)
      }
      // Sorted, so that two transactions that add the same subjects cannot wait for each other.
      const missing = [...subjects].filter((subject) => !keys.has(subject)).sort()
      if (missing.length > 0) await find(trx, dataKey, missing, keys)
      return keys
    },

    async evenlyOf(trx, dataKey, subjects) {
      const keys = new Map<string, SubjectKey>()
      const wanted = subjects.size > 0 ? [...subjects].sort() : [decoy]
      await find(trx, dataKey, wanted, keys, { isEven: true })
      return keys
    },

    forget(pseudonyms) {
      for (const pseudonym of pseudonyms) erased.set(pseudonym, true)
      for (const [subject, { pseudonym }] of known) if (erased.get(pseudonym)) known.delete(subject)
    },
  }

  async function find(
    trx: DatabaseOrTransaction,
    dataKey: Uint8Array,
    missing: readonly string[],
    keys: Map<string, SubjectKey>,
    { isEven = false } = {},
  ): Promise<void> {
    const store = auditStore(trx)
    // A key is inserted before it is looked for: for a new person this saves the look.
    const made = new Map(missing.map((subject) => [subject, newSubjectKey(random)]))
    const rows = [...made].map(([subject, key]) => ({
      subject,
      pseudonym: pseudonymOf(key),
      sealed: sealSubjectKey(random, dataKey, subject, key),
      userId: subject === decoy ? null : userIdOf(subject),
    }))
    const added = await store.addSubjects(rows)
    const there = isEven ? missing : missing.filter((subject) => !added.has(subject))
    const found = await store.subjects(there)
    for (const { subject, sealed } of found) {
      added.add(subject)
      made.set(subject, openSubjectKey(dataKey, subject, sealed))
    }
    for (const [subject, key] of made) {
      const derived = derivedOf(key)
      if (!added.has(subject)) {
        keys.set(subject, { ...derived, actorIndex: null, targetIndex: null })
        continue
      }
      keys.set(subject, derived)
      // Not before: after a rollback another process may make another key.
      afterCommit(trx, () => {
        if (!erased.get(derived.pseudonym)) known.set(subject, derived)
      })
    }
  }
}

/**
 * The stored keys of users, by their ids, for what others have sealed under them; no key is made, and
 * an erased user has none.
 */
export async function storedKeysOf(
  db: DatabaseOrTransaction,
  dataKey: Uint8Array,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const rows = await auditStore(db).subjects([...new Set(userIds)].map(String))
  return new Map(
    rows.flatMap(({ subject, sealed }) => {
      const key = openedOrNull(() => openSubjectKey(dataKey, subject, sealed))
      return key ? [[Number(subject), key] as const] : []
    }),
  )
}

/** The user who a subject is; null for an identity at a provider. */
function userIdOf(subject: string): number | null {
  const id = Number(subject)
  return Number.isSafeInteger(id) ? id : null
}

/** What records need of a key of a person who is there. */
export function derivedOf(key: Uint8Array) {
  return {
    key,
    pseudonym: pseudonymOf(key),
    actorIndex: personIndex(key, 'actor'),
    targetIndex: personIndex(key, 'target'),
  }
}
