import { type Insertable, sql } from 'kysely'
import type { DatabaseOrTransaction, QueryHints } from '../../core/database/database.ts'
import { prepared, preparedForLists } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { indexedAtInsert } from './indexes.ts'

export type NewRecord = Omit<Required<Insertable<Schema['audit_records']>>, 'number' | 'indexed'>
export type ChainRow = Omit<Insertable<Schema['audit_chains']>, 'closed_at'>
export type SubjectRow = Insertable<Schema['audit_subjects']>
export type NewSubject = SubjectRow & { readonly userId: number | null }

// Prepared statements by number of rows.
const rowsPerStatement = [16, 4, 3, 2, 1]
const maxSubjectsPerStatement = 8

// PostgreSQL: both run with the commit, without a round trip. Durable: a power failure must not
// lose the record of a visible change.
const withCommit: QueryHints = { isDeferred: true, isDurable: true }

const insertRecords = preparedForLists<{ records: NewRecord[] }, object, never>(
  (db, { records }) =>
    db.insertInto('audit_records').values(
      records.map((record) => ({
        chain: record.chain,
        place: record.place,
        id: record.id,
        at: record.at,
        type: record.type,
        level: record.level,
        outcome: record.outcome,
        reason: record.reason,
        request_id: record.request_id,
        facts: record.facts,
        actor_key: record.actor_key,
        actor_sealed: record.actor_sealed,
        target_key: record.target_key,
        target_sealed: record.target_sealed,
        actor_index: record.actor_index,
        target_index: record.target_index,
        address_index: record.address_index,
        mac: record.mac,
        indexed: indexedAtInsert(db),
      })),
    ),
  withCommit,
)

const insertChain = prepared<ChainRow, never>(
  (db, row) =>
    db.insertInto('audit_chains').values({
      chain: row.chain,
      instance: row.instance,
      version: row.version,
      opened_at: row.opened_at,
    }),
  withCommit,
)

const insertNewSubjects = preparedForLists<{ rows: SubjectRow[] }, object, never>(
  (db, { rows }) =>
    db
      .insertInto('audit_subjects')
      .values(rows.map(({ subject, pseudonym, sealed }) => ({ subject, pseudonym, sealed }))),
  withCommit,
)

// A key for a removed user would undo the erasure. The locked user row makes erasures wait.
const insertSubjects = preparedForLists<{ rows: NewSubject[] }, object, { subject: string }>(
  (db, { rows }) => ({
    compile: () =>
      sql<{ subject: string }>`
        with given (subject, pseudonym, sealed, user_id) as (values ${sql.join(
          rows.map(
            ({ subject, pseudonym, sealed, userId }) => sql`(cast(${subject} as text),
              cast(${pseudonym} as text), cast(${sealed} as text), cast(${userId} as bigint))`,
          ),
        )})
        insert into audit_subjects (subject, pseudonym, sealed)
        select subject, pseudonym, sealed from given
        where user_id is null or exists (
          select 1 from users where users.id = given.user_id
            and (users.import_id is null or users.import_id > 0)
          ${isPostgres(db) ? sql`for key share` : sql``})
        on conflict (subject) do nothing returning subject`.compile(db),
  }),
)

const subjectsNamed = preparedForLists<{ names: { subject: string }[] }, object, SubjectRow>(
  (db, { names }) =>
    db
      .selectFrom('audit_subjects')
      .select(['subject', 'pseudonym', 'sealed'])
      .where(
        'subject',
        'in',
        names.map(({ subject }) => subject),
      ),
)

export function auditStore(db: DatabaseOrTransaction) {
  return {
    async insert(records: readonly NewRecord[]): Promise<void> {
      for (let from = 0; from < records.length; ) {
        const left = records.length - from
        const count = rowsPerStatement.find((rows) => rows <= left) ?? 1
        await insertRecords.all(db, { records: records.slice(from, from + count) }, {})
        from += count
      }
    },

    async openChain(row: ChainRow): Promise<void> {
      await insertChain.all(db, row)
    },

    /** Ignores unstored chains. */
    async closeChains(chains: readonly string[], now: number): Promise<void> {
      if (chains.length === 0) return
      await db
        .updateTable('audit_chains')
        .set({ closed_at: now })
        .where('chain', 'in', chains)
        .execute()
    },

    /** Chains without a record since `before`; returns how many. */
    async closeLeft(before: number, now: number, limit: number): Promise<number> {
      const left = await db
        .selectFrom('audit_chains')
        .select('chain')
        .where('closed_at', 'is', null)
        .where('opened_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('audit_records')
                .select('number')
                .whereRef('audit_records.chain', '=', 'audit_chains.chain')
                .where('at', '>=', before),
            ),
          ),
        )
        .limit(limit)
        .execute()
      await this.closeChains(
        left.map(({ chain }) => chain),
        now,
      )
      return left.length
    },

    /** Skips removed users; returns the inserted subjects. */
    async addSubjects(rows: readonly NewSubject[]): Promise<Set<string>> {
      const added = new Set<string>()
      for (let from = 0; from < rows.length; from += maxSubjectsPerStatement) {
        const some = rows.slice(from, from + maxSubjectsPerStatement)
        for (const { subject } of await insertSubjects.all(db, { rows: some }, {})) {
          added.add(subject)
        }
      }
      return added
    },

    /** Of users whom this transaction has inserted; fails the commit if one has a key. */
    async addNewSubjects(rows: readonly SubjectRow[]): Promise<void> {
      for (let from = 0; from < rows.length; from += maxSubjectsPerStatement) {
        const some = rows.slice(from, from + maxSubjectsPerStatement)
        await insertNewSubjects.all(db, { rows: some }, {})
      }
    },

    /** Omits subjects without a key. */
    async subjects(subjects: readonly string[]): Promise<SubjectRow[]> {
      const found: SubjectRow[] = []
      for (let from = 0; from < subjects.length; from += maxSubjectsPerStatement) {
        const names = subjects
          .slice(from, from + maxSubjectsPerStatement)
          .map((subject) => ({ subject }))
        found.push(...(await subjectsNamed.all(db, { names }, {})))
      }
      return found
    },

    /** Existing ids. `at`: epoch milliseconds. */
    async present(records: readonly { readonly id: string; readonly at: number }[]) {
      const times = records.map(({ at }) => at) // enables an index
      const rows = await db
        .selectFrom('audit_records')
        .select('id')
        .where('at', '>=', Math.min(...times))
        .where('at', '<=', Math.max(...times))
        .where(
          'id',
          'in',
          records.map(({ id }) => id),
        )
        .execute()
      return new Set(rows.map(({ id }) => id))
    },
  }
}
