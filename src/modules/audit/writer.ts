import type { Random } from '../../core/crypto/random.ts'
import { afterCommit, atEnd, attemptOf, beforeCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { CommitRefused, DatabaseUnavailable } from '../../core/database/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { type AuditKeys, readAuditKeys } from '../keys/audit-keys.ts'
import type { MasterKeyConfig } from '../keys/master-key.ts'
import type { Chains, Head, TakenChain } from './chains.ts'
import {
  type Entry,
  makeRecord,
  newPersonsIn,
  personsIn,
  subjectsOf,
  type Writer,
} from './make-record.ts'
import { serviceKeyName } from './persons.ts'
import { firstPrevious, macOf } from './record-form.ts'
import { auditStore, type NewRecord } from './store.ts'
import { createSubjectKeys, type SubjectKeys } from './subject-keys.ts'

export interface RecordWriter {
  /**
   * Inserted just before the commit, on a chain held by the transaction; otherwise rolls back with
   * DatabaseUnavailable.
   */
  add(trx: DatabaseOrTransaction, chains: Chains, entry: Entry): void
  /**
   * Runs between sealing and inserting the records. `erase` returns pseudonyms for the last record.
   */
  closing(trx: DatabaseOrTransaction, erase: Erase): void
  /** See `SubjectKeys`. */
  forget(pseudonyms: readonly string[]): void
  readonly subjectKeys: Pick<SubjectKeys, 'of' | 'evenlyOf'>
}

type Erase = (trx: DatabaseOrTransaction) => Promise<readonly string[]>

export interface RecordWriterDeps {
  readonly config: MasterKeyConfig
  readonly clock: Clock
  readonly random: Random
  readonly writer: Writer
  readonly committed?: (count: number, at: number) => void
  /** In the transaction, after the insert. */
  readonly inserted?: (
    trx: DatabaseOrTransaction,
    records: readonly InsertedRecord[],
  ) => Promise<void>
}

export interface InsertedRecord {
  readonly chain: string
  readonly place: number
  readonly id: string
  readonly type: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Pseudonym of the person concerned, else the actor; null if unknown. */
  readonly person: string | null
  /** The user concerned. */
  readonly userId: number | null
}

interface Pending {
  readonly taken: TakenChain
  readonly entries: Entry[]
  head: Head
  /** Uncertain head: never use the chain again. */
  isRefused: boolean
}

/** By transaction attempt: any writer of its records erases the keys. */
const erasures = new WeakMap<object, readonly Erase[]>()

export function createRecordWriter(deps: RecordWriterDeps): RecordWriter {
  const { clock, random, writer, committed, inserted } = deps
  const pending = new WeakMap<object, Pending>()
  const subjectKeys = createSubjectKeys(random)
  let known: AuditKeys | undefined

  return {
    add(trx, chains, entry) {
      const attempt = attemptOf(trx)
      const before = pending.get(attempt)
      if (before) return void before.entries.push(entry)
      const taken = chains.take()
      const records: Pending = { taken, entries: [entry], head: taken.chain, isRefused: false }
      pending.set(attempt, records)
      if (committed) {
        afterCommit(trx, () => committed(records.entries.length, entry.event.at))
      }
      beforeCommit(trx, (own) => insert(own, records))
      atEnd(trx, (end) => taken.release(records.isRefused ? 'unknown' : end, records.head))
    },

    closing(trx, erase) {
      const attempt = attemptOf(trx)
      erasures.set(attempt, [...(erasures.get(attempt) ?? []), erase])
    },

    forget: subjectKeys.forget,
    subjectKeys,
  }

  async function insert(trx: DatabaseOrTransaction, records: Pending): Promise<void> {
    try {
      await insertAll(trx, records)
    } catch (cause) {
      records.isRefused = true
      if (cause instanceof DatabaseUnavailable) throw cause
      throw new CommitRefused('the audit log takes no record', { cause })
    }
  }

  async function insertAll(trx: DatabaseOrTransaction, records: Pending): Promise<void> {
    const { chain } = records.taken
    const store = auditStore(trx)
    const keys = await keysIn(trx)
    const isEven = records.entries.some(({ event }) => event.hidesPerson)
    const keysOf = isEven ? subjectKeys.evenlyOf : subjectKeys.of
    const [subjects, fresh] = [personsIn(records.entries), newPersonsIn(records.entries)]
    const persons = await keysOf(trx, keys.data, subjects, fresh)
    const closed: string[] = []
    for (const erase of erasures.get(attemptOf(trx)) ?? []) closed.push(...(await erase(trx)))
    const last = records.entries.at(-1)
    if (last) records.entries.splice(-1, 1, { ...last, closed })
    let { place, mac } = chain
    if (place === 0) {
      await store.openChain({ chain: chain.name, ...writer, opened_at: clock.now() })
    }
    const rows = records.entries.map((entry) => {
      place += 1
      const made = makeRecord(entry, writer, { keys, persons, random })
      const record = { chain: chain.name, place, ...made }
      mac = macOf(keys.chain, mac ?? firstPrevious(keys.chain, chain.name), record)
      return { ...record, mac }
    })
    await store.insert(rows)
    await inserted?.(
      trx,
      rows.map((row, index) => insertedRecord(row, records.entries[index])),
    )
    records.head = { place, mac }
  }

  async function keysIn(trx: DatabaseOrTransaction): Promise<AuditKeys> {
    if (known) return known
    const keys = await readAuditKeys(trx, deps)
    // Wait for the commit: this transaction may create the keys.
    afterCommit(trx, () => {
      known = keys
    })
    return keys
  }
}

function insertedRecord(row: NewRecord, entry: Entry | undefined): InsertedRecord {
  const { chain, place, id, type, at, actor_key, target_key } = row
  const person = [target_key, actor_key].find((key) => key !== null && key !== serviceKeyName)
  const { target = null } = entry ? subjectsOf(entry.event) : {}
  const userId = target === null ? null : Number(target)
  return { chain, place, id, type, at, person: person ?? null, userId }
}
