import { sql } from 'kysely'
import { rowsOf } from '../../core/database/batches.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { prepared } from '../../core/database/prepared.ts'
import type { Checkpoint, Tombstone } from './checkpoint-form.ts'
import type { AuditRecord } from './record-form.ts'

export interface ChainEnd {
  readonly chain: string
  /** Epoch milliseconds; null without a row. */
  readonly openedAt: number | null
  readonly place: number
  readonly mac: string
  readonly number: number
}

// The next checkpoint covers the rest.
const maxBehind = 10_000

const ends = prepared<{ since: number }, ChainEnd>((db, { since }) =>
  db
    .selectFrom('audit_chains as chains')
    .innerJoin('audit_records as records', (join) =>
      join.onRef('records.chain', '=', 'chains.chain').on('records.place', '=', (eb) =>
        eb
          .selectFrom('audit_records as last')
          .select((max) => max.fn.max('last.place').as('place'))
          .whereRef('last.chain', '=', 'chains.chain'),
      ),
    )
    .select([
      'chains.chain',
      'chains.opened_at as openedAt',
      'records.place',
      'records.mac',
      'records.number',
    ])
    .where((eb) => eb.or([eb('chains.closed_at', 'is', null), eb('chains.closed_at', '>=', since)]))
    .orderBy('chains.opened_at')
    .orderBy('chains.chain'),
)

// To group by chain, SQLite would scan the index of all records.
const chainsBehind = prepared<{ number: number }, { chain: string }>((db, { number }) =>
  db
    .selectFrom('audit_records')
    .select('chain')
    .where('number', '>', number)
    .orderBy('number')
    .limit(maxBehind),
)

const lastCheckpoint = prepared<object, Checkpoint>((db) =>
  db.selectFrom('audit_checkpoints').selectAll().orderBy('number', 'desc').limit(1),
)

export function checkpointStore(db: DatabaseOrTransaction) {
  const from = (number: number, limit: number): Promise<Checkpoint[]> =>
    db
      .selectFrom('audit_checkpoints')
      .selectAll()
      .where('number', '>=', number)
      .orderBy('number')
      .limit(limit)
      .execute()

  return {
    /** Chains open, or closed since a time. */
    ends: (since: number): Promise<ChainEnd[]> => ends.all(db, { since }),

    /** Chains of records after a number. */
    chainsBehind: async (number: number): Promise<Set<string>> =>
      new Set((await chainsBehind.all(db, { number })).map(({ chain }) => chain)),

    endsOf: (chains: readonly string[]): Promise<ChainEnd[]> =>
      db
        .selectFrom('audit_records as records')
        .leftJoin('audit_chains as chains', 'chains.chain', 'records.chain')
        .select([
          'records.chain',
          'chains.opened_at as openedAt',
          'records.place',
          'records.mac',
          'records.number',
        ])
        .where('records.chain', 'in', chains)
        .where('records.place', '=', (eb) =>
          eb
            .selectFrom('audit_records as last')
            .select((max) => max.fn.max('last.place').as('place'))
            .whereRef('last.chain', '=', 'records.chain'),
        )
        .orderBy('records.chain')
        .execute(),

    /** Chains that began after a number. */
    async begunBehind(chains: readonly string[], number: number): Promise<Set<string>> {
      const rows = await db
        .selectFrom('audit_records')
        .select('chain')
        .where('chain', 'in', chains)
        .where('place', '=', 1)
        .where('number', '>', number)
        .execute()
      return new Set(rows.map(({ chain }) => chain))
    },

    last: (): Promise<Checkpoint | undefined> => lastCheckpoint.first(db, {}),

    from,

    allFrom: (number: number): AsyncIterable<Checkpoint> =>
      rowsOf({ from: number, read: from, placeOf: (last) => last.number + 1 }),

    before: (number: number, limit: number): Promise<Checkpoint[]> =>
      db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .where('number', '<', number)
        .orderBy('number', 'desc')
        .limit(limit)
        .execute(),

    numbered: (numbers: readonly number[]): Promise<Checkpoint[]> =>
      db.selectFrom('audit_checkpoints').selectAll().where('number', 'in', numbers).execute(),

    since: (at: number): Promise<Checkpoint | undefined> =>
      db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .where('at', '>=', at)
        .orderBy('number')
        .limit(1)
        .executeTakeFirst(),

    async insert(checkpoint: Checkpoint): Promise<void> {
      await db.insertInto('audit_checkpoints').values(checkpoint).execute()
    },

    async removeThrough(number: number): Promise<void> {
      await db.deleteFrom('audit_checkpoints').where('number', '<=', number).execute()
    },

    records: (chain: string, from: number, to: number, limit: number): Promise<AuditRecord[]> =>
      db
        .selectFrom('audit_records')
        .selectAll()
        .where('chain', '=', chain)
        .where('place', '>=', from)
        .where('place', '<=', to)
        .orderBy('place')
        .limit(limit)
        .execute(),

    recordsAfter: (
      { chain, place }: { readonly chain: string; readonly place: number },
      limit: number,
    ): Promise<AuditRecord[]> =>
      db
        .selectFrom('audit_records')
        .selectAll()
        .where(sql<boolean>`(chain, place) > (${chain}, ${place})`)
        .orderBy('chain')
        .orderBy('place')
        .limit(limit)
        .execute(),

    async expiredChain(at: number): Promise<string | undefined> {
      const first = await db
        .selectFrom('audit_records as first')
        .select('first.chain')
        .where('first.at', '<', at)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('audit_records as before')
                .select('before.place')
                .whereRef('before.chain', '=', 'first.chain')
                .whereRef('before.place', '<', 'first.place'),
            ),
          ),
        )
        .orderBy('first.at')
        .orderBy('first.number')
        .limit(1)
        .executeTakeFirst()
      return first?.chain
    },

    async lastNumber(): Promise<number | null> {
      const { number } = await db
        .selectFrom('audit_records')
        .select((eb) => eb.fn.max<number | null>('number').as('number'))
        .executeTakeFirstOrThrow()
      return number
    },

    numberedFrom: (number: number, limit: number) =>
      db
        .selectFrom('audit_records')
        .select(['chain', 'place'])
        .where('number', '>=', number)
        .orderBy('number')
        .limit(limit)
        .execute(),

    async oldestRecord(): Promise<number | null> {
      const { at } = await db
        .selectFrom('audit_records')
        .select((eb) => eb.fn.min<number | null>('at').as('at'))
        .executeTakeFirstOrThrow()
      return at
    },

    async removeRecords(chain: string, throughPlace: number): Promise<void> {
      await db
        .deleteFrom('audit_records')
        .where('chain', '=', chain)
        .where('place', '<=', throughPlace)
        .execute()
    },

    /** For a closed chain without records; the tombstone stays. */
    async removeEmptyChain(chain: string): Promise<void> {
      await db
        .deleteFrom('audit_chains')
        .where('chain', '=', chain)
        .where('closed_at', 'is not', null)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('audit_records')
                .select('place')
                .where('audit_records.chain', '=', chain),
            ),
          ),
        )
        .execute()
    },

    tombstone: (chain: string): Promise<Tombstone | undefined> =>
      db.selectFrom('audit_tombstones').selectAll().where('chain', '=', chain).executeTakeFirst(),

    /** By chain. `keepTombstone` may change those that were read. */
    tombstones: (): AsyncIterable<Tombstone> =>
      rowsOf({
        from: '',
        read: (chain, limit) =>
          db
            .selectFrom('audit_tombstones')
            .selectAll()
            .where('chain', '>', chain)
            .orderBy('chain')
            .limit(limit)
            .execute(),
        placeOf: ({ chain }) => chain,
      }),

    chainsAfter: (chain: string, limit: number) =>
      db
        .selectFrom('audit_chains')
        .selectAll()
        .where('chain', '>', chain)
        .orderBy('chain')
        .limit(limit)
        .execute(),

    subjectsAfter: (subject: string, limit: number) =>
      db
        .selectFrom('audit_subjects')
        .selectAll()
        .where('subject', '>', subject)
        .orderBy('subject')
        .limit(limit)
        .execute(),

    async keepTombstone(tombstone: Tombstone): Promise<void> {
      const { chain: _, ...changed } = tombstone
      await db
        .insertInto('audit_tombstones')
        .values(tombstone)
        .onConflict((conflict) => conflict.column('chain').doUpdateSet(changed))
        .execute()
    },
  }
}

export type CheckpointStore = ReturnType<typeof checkpointStore>
