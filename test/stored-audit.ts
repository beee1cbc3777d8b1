import assert from 'node:assert/strict'
import { beforeEach, suite } from 'node:test'
import type { Insertable } from 'kysely'
import { type DatabaseOrTransaction, execute } from '../src/core/database/database.ts'
import type { Schema } from '../src/core/database/schema.ts'
import { isPostgres } from '../src/core/database/transactions.ts'
import type { EventContext } from '../src/core/events/context.ts'
import type { RecordedEvent } from '../src/core/events/events.ts'
import {
  type Checkpoint,
  checkpointDigest,
  type Head,
  headsText,
  signCheckpoint,
} from '../src/modules/audit/checkpoint-form.ts'
import { checkpointKey } from '../src/modules/audit/checkpoint-key.ts'
import { makeRecord } from '../src/modules/audit/make-record.ts'
import { sealSubjectKey } from '../src/modules/audit/persons.ts'
import { firstPrevious, macOf } from '../src/modules/audit/record-form.ts'
import { derivedOf, type SubjectKey } from '../src/modules/audit/subject-keys.ts'
import { auditKeysOf } from '../src/modules/keys/audit-keys.ts'
import { ownDatabase } from './own-database.ts'
import { seededRandom } from './random.ts'

const tables = [
  ...['audit_records', 'audit_chains', 'audit_checkpoints', 'audit_tombstones', 'audit_subjects'],
  ...['audit_erasures_unlisted', 'audit_checkpoint_keys', 'erasures', 'users'],
] as const

const nothing: EventContext = {
  ...{ by: null, address: null, scheme: null, requestId: null, request: null },
}

export interface StoredRecord {
  readonly type?: string
  readonly outcome?: 'success' | 'failure'
  readonly payload?: RecordedEvent['payload']
  readonly context?: Partial<EventContext>
  readonly typed?: string
  readonly closed?: readonly string[]
  readonly unlisted?: RecordedEvent['unlisted']
  /** Default: a second after the record before. */
  readonly at?: number
}

/** Makes suites in which each test begins with an empty log; `reset` runs before each, too. */
export function suitesOnEmptyLog(audit: { clear(): Promise<void> }, reset: () => void) {
  return (name: string, tests: () => void) =>
    suite(name, () => {
      beforeEach(async () => {
        await audit.clear()
        reset()
      })
      tests()
    })
}

/** An audit log that a test writes record by record, without a service. */
export async function storedAudit(start = 1_700_000_000_000) {
  const { db } = await ownDatabase()
  // On SQLite, transactions read rows in reverse where a statement asks for no order.
  if (!isPostgres(db)) await execute(db, 'pragma reverse_unordered_selects = on')
  const random = seededRandom(77)
  const keys = auditKeysOf(random.bytes(32), random.bytes(32))
  const signer = checkpointKey(keys.checkpointSeed)
  const writer = { instance: 'host/1', version: '1.2.3' }
  let persons = new Map<string, SubjectKey>()
  let heads = new Map<string, { place: number; mac: string; number: number; from: number }>()
  let last: Checkpoint | undefined
  let [number, at] = [0, start]

  /** Begins a chain without a record. */
  async function open(chain: string, more: Partial<Insertable<Schema['audit_chains']>> = {}) {
    const row = { chain, ...writer, opened_at: at, closed_at: null, ...more }
    await db.insertInto('audit_chains').values(row).execute()
  }

  return {
    ...{ db, keys, signer, random, writer, start, open },

    /** On SQLite, runs the query in both orders of rows, which must find the same. */
    async read<T>(query: (db: DatabaseOrTransaction) => Promise<T>): Promise<T> {
      const found = await query(db)
      assert.deepEqual(await db.transaction().execute(query), found)
      return found
    },

    async clear() {
      for (const table of tables) await db.deleteFrom(table).execute()
      persons = new Map()
      heads = new Map()
      last = undefined
      number = 0
      at = start
    },

    /** Stores the key of a person. */
    async person(subject: string): Promise<SubjectKey> {
      const key = derivedOf(random.bytes(32))
      persons.set(subject, key)
      const { pseudonym } = key
      const sealed = sealSubjectKey(random, keys.data, subject, key.key)
      await db.insertInto('audit_subjects').values({ subject, pseudonym, sealed }).execute()
      return key
    },

    /** Appends a record to a chain, which it begins if need be. */
    async append(chain: string, more: StoredRecord = {}) {
      const before = heads.get(chain)
      if (!before) await open(chain)
      number += 1
      at = more.at ?? at + 1000
      const { type = 'login', outcome = 'success', payload = {}, context } = more
      const event = {
        ...{ ...more, type: { name: type, level: 'info', outcome }, payload, at },
        context: { ...nothing, ...context },
      } as RecordedEvent // what a record is made of
      const made = makeRecord({ id: `id ${number}`, event }, writer, { keys, persons, random })
      const record = { chain, place: (before?.place ?? 0) + 1, ...made }
      const mac = macOf(keys.chain, before?.mac ?? firstPrevious(keys.chain, chain), record)
      const row = { ...record, number, mac, indexed: 1 }
      await db.insertInto('audit_records').values(row).execute()
      heads.set(chain, { place: row.place, mac, number, from: before?.from ?? 1 })
      return row
    },

    /** Writes a checkpoint of all chains that have grown. */
    async checkpoint(when = at): Promise<Checkpoint> {
      const grown = [...heads].flatMap(([chain, { from, ...head }]): Head[] =>
        head.place >= from ? [{ chain, from, ...head }] : [],
      )
      const records = grown.reduce((sum, { from, place }) => sum + place - from + 1, 0)
      const made = signCheckpoint(signer, {
        number: (last?.number ?? 0) + 1,
        at: when,
        previous: last ? checkpointDigest(last) : '',
        heads: headsText(grown),
        records: (last?.records ?? 0) + records,
      })
      for (const [chain, head] of heads) heads.set(chain, { ...head, from: head.place + 1 })
      await db.insertInto('audit_checkpoints').values(made).execute()
      last = made
      return made
    },
  }
}
