import { sql } from 'kysely'
import type { Database } from '../src/core/database/database.ts'
import {
  checkpointDigest,
  signCheckpoint,
  signTombstone,
} from '../src/modules/audit/checkpoint-form.ts'
import { checkpointKey } from '../src/modules/audit/checkpoint-key.ts'
import type { ProblemKind } from '../src/modules/audit/verify/report.ts'
import { type AuditRows, replaceAudit } from './audit-log.ts'

/** What an attacker has who can write the database, and has no key. */
export interface Attacked {
  readonly db: Database
  /** The tables as they were some time before; a checkpoint outside is newer. */
  readonly older: AuditRows
  /** Records and checkpoints that the service writes after the attack. */
  readonly goOn: () => Promise<void>
}

/** An attack on the audit log: A7 of the attack tests. */
export interface AuditAttack {
  readonly name: string
  readonly apply: (attacked: Attacked) => Promise<unknown>
  /** What the first problem is; one of several where the attack leaves more than one trace. */
  readonly expected: readonly ProblemKind[]
  /** The number of the record that must be named first; absent where it names none. */
  readonly number?: number
  /** Whether only a checkpoint outside tells. */
  readonly needsOutside?: true
}

/** The record that most attacks change; there must be some on both sides of it. */
const victim = 100

const authenticated = [
  ...['id', 'type', 'level', 'outcome', 'reason', 'request_id', 'facts', 'actor_key'],
  ...['actor_sealed', 'target_key', 'target_sealed', 'mac'],
]
const otherLevels = sql`case level when 'info' then 'warn' else 'info' end`
const otherOutcomes = sql`case outcome when 'success' then 'failure' else 'success' end`

const victimOf = (db: Database) =>
  db.selectFrom('audit_records').selectAll().where('number', '=', victim).executeTakeFirstOrThrow()

const lastOf = (db: Database) =>
  db
    .selectFrom('audit_records')
    .selectAll()
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()

/** Another text of the same length: its first character is another one. */
const flipped = (column: string) =>
  column === 'level'
    ? otherLevels
    : column === 'outcome'
      ? otherOutcomes
      : sql`coalesce(case substr(${sql.ref(column)}, 1, 1) when 'A' then 'B' else 'A' end
          || substr(${sql.ref(column)}, 2), 'A')`

const change = (table: string, column: string, value: unknown, where: ReturnType<typeof sql>) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${where}`

const ofVictim = sql`number = ${victim}`
const free = 1_000_000

export const auditAttacks: readonly AuditAttack[] = [
  ...authenticated.map(
    (column): AuditAttack => ({
      name: `flips a byte of ${column}`,
      apply: ({ db }) => change('audit_records', column, flipped(column), ofVictim).execute(db),
      expected: ['changed'],
      number: victim,
    }),
  ),
  {
    name: 'changes the time',
    apply: ({ db }) => change('audit_records', 'at', sql`at + 1`, ofVictim).execute(db),
    expected: ['changed'],
    number: victim,
  },
  {
    name: 'moves a record to another place of its chain',
    apply: ({ db }) => change('audit_records', 'place', sql`place + ${free}`, ofVictim).execute(db),
    expected: ['missing'],
  },
  {
    name: 'moves a record to another chain',
    apply: ({ db }) => change('audit_records', 'chain', 'another', ofVictim).execute(db),
    expected: ['missing', 'chain'],
  },
  {
    name: 'gives a record another number',
    apply: ({ db }) => change('audit_records', 'number', free, ofVictim).execute(db),
    expected: ['number'],
  },
  ...['actor_index', 'target_index', 'address_index'].map(
    (column): AuditAttack => ({
      name: `flips a byte of ${column}`,
      apply: ({ db }) => change('audit_records', column, flipped(column), ofVictim).execute(db),
      expected: ['index'],
      number: victim,
    }),
  ),
  {
    name: 'empties an index, so that a search does not find the record',
    apply: ({ db }) => change('audit_records', 'actor_index', null, ofVictim).execute(db),
    expected: ['index'],
    number: victim,
  },
  {
    name: 'takes a record out of the indexes, so that a search does not find it',
    apply: ({ db }) => change('audit_records', 'indexed', 0, ofVictim).execute(db),
    expected: ['index'],
    number: victim,
  },
  {
    name: 'gives a record the index of another person',
    apply: ({ db }) =>
      sql`update audit_records set actor_index = (select actor_index from audit_records
        where number = ${victim + 1}) where ${ofVictim}`.execute(db),
    expected: ['index'],
    number: victim,
  },
  {
    name: 'deletes the key of a person',
    apply: ({ db }) => sql`delete from audit_subjects where subject = '1003'`.execute(db),
    expected: ['index'],
  },
  {
    name: 'changes the key of a person',
    apply: ({ db }) =>
      change('audit_subjects', 'sealed', flipped('sealed'), sql`subject = '1003'`).execute(db),
    expected: ['index', 'key'],
  },
  {
    name: 'gives the key of a person another name, so that the person looks erased',
    apply: ({ db }) =>
      change('audit_subjects', 'pseudonym', 'another', sql`subject = '1003'`).execute(db),
    expected: ['key'],
  },
  {
    name: 'deletes a record',
    apply: ({ db }) => sql`delete from audit_records where ${ofVictim}`.execute(db),
    expected: ['missing'],
  },
  {
    name: 'deletes a record and closes the gap',
    async apply({ db }) {
      await sql`delete from audit_records where ${ofVictim}`.execute(db)
      await closeGap(db)
    },
    expected: ['changed'],
    number: victim + 1,
  },
  {
    name: 'swaps two records',
    async apply({ db }) {
      await sql`update audit_records set place = place + ${free} where ${ofVictim}`.execute(db)
      await sql`update audit_records set place = place - 1 where number = ${victim + 1}`.execute(db)
      await sql`update audit_records set place = place - ${free - 1} where ${ofVictim}`.execute(db)
    },
    expected: ['changed'],
  },
  {
    name: 'inserts a copy of a record',
    async apply({ db }) {
      const row = await victimOf(db)
      await openGap(db)
      await db
        .insertInto('audit_records')
        .values({ ...row, number: free, place: row.place + 1 })
        .execute()
    },
    expected: ['changed', 'number'],
  },
  {
    name: 'appends a record of its own',
    async apply({ db }) {
      const row = await lastOf(db)
      await db
        .insertInto('audit_records')
        .values({ ...row, number: row.number + 1, place: row.place + 1, type: 'user_deleted' })
        .execute()
    },
    expected: ['inserted'],
  },
  {
    name: 'makes a chain of its own',
    async apply({ db }) {
      const row = await lastOf(db)
      const chain = { chain: 'forged', instance: 'x', version: 'y', opened_at: 0 }
      await db.insertInto('audit_chains').values(chain).execute()
      await db
        .insertInto('audit_records')
        .values({ ...row, number: row.number + 1, place: 1, chain: 'forged' })
        .execute()
    },
    expected: ['changed', 'inserted', 'chain'],
  },
  {
    name: 'cuts the beginning of a chain',
    apply: ({ db }) => sql`delete from audit_records where number <= ${victim}`.execute(db),
    expected: ['missing'],
  },
  {
    name: 'cuts the beginning of a chain behind a forged tombstone',
    async apply({ db }) {
      const row = await victimOf(db)
      const { chain, place, mac } = row
      const key = checkpointKey(Buffer.alloc(32, 7)) // not the seed of the service
      const tombstone = signTombstone(key, {
        chain,
        place,
        mac,
        records: place,
        at: row.at,
        closed: '',
      })
      const own = await db
        .selectFrom('audit_checkpoints')
        .select('key_id')
        .limit(1)
        .executeTakeFirstOrThrow()
      await sql`delete from audit_records where chain = ${chain} and place <= ${place}`.execute(db)
      await db
        .insertInto('audit_tombstones')
        .values({ ...tombstone, ...own })
        .execute()
    },
    expected: ['tombstone'],
  },
  {
    name: 'cuts the tail, which checkpoints attest',
    apply: ({ db }) => sql`delete from audit_records where number > ${victim}`.execute(db),
    expected: ['missing'],
  },
  {
    name: 'removes all records of a chain',
    apply: ({ db }) => sql`delete from audit_records`.execute(db),
    expected: ['missing'],
  },
  {
    name: 'removes a chain with its row',
    async apply({ db }) {
      await sql`delete from audit_records`.execute(db)
      await sql`delete from audit_chains`.execute(db)
    },
    expected: ['missing'],
  },
  {
    name: 'removes the row of a chain',
    apply: ({ db }) => sql`delete from audit_chains`.execute(db),
    expected: ['chain'],
  },
  ...['instance', 'version'].map(
    (column): AuditAttack => ({
      name: `changes the ${column} of a chain`,
      apply: ({ db }) => change('audit_chains', column, 'another', sql`1 = 1`).execute(db),
      expected: ['chain'],
    }),
  ),
  ...['previous', 'heads', 'key_id', 'signature'].map(
    (column): AuditAttack => ({
      name: `flips a byte of a checkpoint's ${column}`,
      apply: ({ db }) =>
        change('audit_checkpoints', column, flipped(column), sql`number = 2`).execute(db),
      expected: ['checkpoint'],
    }),
  ),
  ...['at', 'records'].map(
    (column): AuditAttack => ({
      name: `changes the ${column} of a checkpoint`,
      apply: ({ db }) =>
        change('audit_checkpoints', column, sql`${sql.ref(column)} + 1`, sql`number = 2`).execute(
          db,
        ),
      expected: ['checkpoint'],
    }),
  ),
  {
    name: 'removes a checkpoint',
    apply: ({ db }) => sql`delete from audit_checkpoints where number = 2`.execute(db),
    expected: ['checkpoint'],
  },
  {
    name: 'removes the first checkpoints',
    apply: ({ db }) => sql`delete from audit_checkpoints where number <= 2`.execute(db),
    expected: ['checkpoint'],
  },
  {
    name: 'adds a checkpoint by a key of its own',
    async apply({ db }) {
      const last = await db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      const key = checkpointKey(Buffer.alloc(32, 7))
      const next = { ...last, number: last.number + 1, previous: checkpointDigest(last) }
      await db.insertInto('audit_checkpoints').values(signCheckpoint(key, next)).execute()
    },
    expected: ['checkpoint'],
  },
  {
    name: 'cuts the tail with its checkpoints',
    async apply({ db }) {
      const { records } = await cutCheckpoints(db)
      await sql`delete from audit_records where number > ${records}`.execute(db)
    },
    expected: ['outside'],
    needsOutside: true,
  },
  {
    name: 'cuts the tail with its checkpoints, and lets the service append others',
    async apply({ db, goOn }) {
      const { records } = await cutCheckpoints(db)
      await sql`delete from audit_records where number > ${records}`.execute(db)
      await goOn()
    },
    expected: ['outside'],
    needsOutside: true,
  },
  {
    name: 'puts an old copy in the place of all tables',
    apply: ({ db, older }) => replaceAudit(db, older),
    expected: ['outside'],
    needsOutside: true,
  },
  {
    name: 'puts an old copy in the place of all tables, and lets the service append to it',
    async apply({ db, older, goOn }) {
      await replaceAudit(db, older)
      await goOn()
    },
    expected: ['outside'],
    needsOutside: true,
  },
]

/** Removes the checkpoints behind the second; answers how many records that one covers. */
async function cutCheckpoints(db: Database) {
  await sql`delete from audit_checkpoints where number > 2`.execute(db)
  return db
    .selectFrom('audit_checkpoints')
    .select('records')
    .where('number', '=', 2)
    .executeTakeFirstOrThrow()
}

/** Moves the places behind the victim's, in two steps because of the unique index. */
async function closeGap(db: Database): Promise<void> {
  await sql`update audit_records set place = place + ${free} where number > ${victim}`.execute(db)
  await sql`update audit_records set place = place - ${free + 1} where number > ${victim}`.execute(
    db,
  )
}

async function openGap(db: Database): Promise<void> {
  await sql`update audit_records set place = place + ${free} where number > ${victim}`.execute(db)
  await sql`update audit_records set place = place - ${free - 1} where number > ${victim}`.execute(
    db,
  )
}
