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

export interface SubjectKey {
  readonly key: Uint8Array
  readonly pseudonym: string
  /** Null after erasure: not searchable. */
  readonly actorIndex: string | null
  readonly targetIndex: string | null
}

export interface SubjectKeys {
  /**
   * Creates missing keys in the transaction. A removed user's key is not stored, so nothing opens
   * again. The keys of `fresh` persons, inserted by the transaction, are sent with the commit.
   */
  of(
    trx: DatabaseOrTransaction,
    dataKey: Uint8Array,
    subjects: ReadonlySet<string>,
    fresh?: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, SubjectKey>>
  /** Equal cost for known, unknown and no persons: see `hidesPerson`. */
  evenlyOf: SubjectKeys['of']
  /** Drops keys of erased persons from memory. */
  forget(pseudonyms: readonly string[]): void
}

/** Never a user id. */
const decoy = '0'

const maxKnown = 5000 // 500 bytes each

export function createSubjectKeys(random: Random): SubjectKeys {
  const known = new BoundedMap<string, SubjectKey>(maxKnown)
  // A transaction that read a key may end after the erasure and must not cache the key again.
  const erased = new BoundedMap<string, true>(maxKnown)

  return {
    async of(trx, dataKey, subjects, fresh) {
      const keys = new Map<string, SubjectKey>()
      for (const subject of subjects) {
        const key = known.get(subject)
        if (key) keys.set(subject, key)
      }
      // Sorted to avoid deadlocks.
      const missing = [...subjects].filter((subject) => !keys.has(subject)).sort()
      await find(trx, dataKey, missing, keys, { fresh })
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
    {
      isEven = false,
      fresh = new Set(),
    }: { isEven?: boolean; fresh?: ReadonlySet<string> | undefined } = {},
  ): Promise<void> {
    const store = auditStore(trx)
    const isFresh = ({ subject }: { readonly subject: string }) => fresh.has(subject)
    // Insert first: saves a query for a new person.
    const made = new Map(missing.map((subject) => [subject, newSubjectKey(random)]))
    const rows = [...made].map(([subject, key]) => ({
      subject,
      pseudonym: pseudonymOf(key),
      sealed: sealSubjectKey(random, dataKey, subject, key),
      userId: subject === decoy ? null : userIdOf(subject),
    }))
    const [own, others] = [rows.filter(isFresh), rows.filter((row) => !isFresh(row))]
    await store.addNewSubjects(own)
    const added = await store.addSubjects(others)
    for (const { subject } of own) added.add(subject)
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
      // After a rollback, another process may create another key.
      afterCommit(trx, () => {
        if (!erased.get(derived.pseudonym)) known.set(subject, derived)
      })
    }
  }
}

/** Creates no keys; erased users have none. */
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

/** Null for an identity at a provider. */
function userIdOf(subject: string): number | null {
  const id = Number(subject)
  return Number.isSafeInteger(id) ? id : null
}

export function derivedOf(key: Uint8Array) {
  return {
    key,
    pseudonym: pseudonymOf(key),
    actorIndex: personIndex(key, 'actor'),
    targetIndex: personIndex(key, 'target'),
  }
}
