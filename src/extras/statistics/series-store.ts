import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { prepared, preparedForLists } from '../../core/database/prepared.ts'
import { isPostgres } from '../../core/database/transactions.ts'

/** A count of a series in a bucket. */
export interface Bucket {
  /** Its length, in seconds. */
  readonly step: number
  /** Its beginning, in epoch milliseconds. */
  readonly at: number
  readonly series: string
  readonly count: number
}

// A statement is prepared for each of these numbers of rows.
const rowsPerStatement = [64, 16, 4, 1]

const addRows = preparedForLists<{ rows: Bucket[] }, object, never>((db, { rows }) =>
  db
    .insertInto('statistics_buckets')
    .values(rows.map(({ at, count, series, step }) => ({ step, at, series, count })))
    .onConflict((conflict) =>
      conflict.columns(['step', 'at', 'series']).doUpdateSet((eb) => ({
        count: eb('statistics_buckets.count', '+', eb.ref('excluded.count')),
      })),
    ),
)

const readRows = prepared<
  { step: number; from: number; to: number },
  Pick<Bucket, 'at' | 'count' | 'series'>
>((db, { from, step, to }) =>
  db
    .selectFrom('statistics_buckets')
    .select(['at', 'series', 'count'])
    .where('step', '=', step)
    .where('at', '>=', from)
    .where('at', '<', to),
)

export function seriesStore(db: DatabaseOrTransaction) {
  return {
    /**
     * Adds counts to those that are there. No two of the same bucket; in the order of their keys, so
     * that two processes do not wait for each other.
     */
    async add(buckets: readonly Bucket[]): Promise<void> {
      const rows = buckets.toSorted(byKey)
      for (const count of rowsPerStatement) {
        while (rows.length >= count) await addRows.all(db, { rows: rows.splice(0, count) }, {})
      }
    },

    /** The counts of buckets that begin from `from` on and before `to`. */
    between(step: number, from: number, to: number) {
      return readRows.all(db, { step, from, to })
    },

    /** Where the first bucket begins; null: there is none. */
    async firstAt(step: number): Promise<number | null> {
      const row = await db
        .selectFrom('statistics_buckets')
        .select('at')
        .where('step', '=', step)
        .orderBy('at')
        .limit(1)
        .executeTakeFirst()
      return row?.at ?? null
    },

    /** Deletes up to `batchSize` counts that begin up to `until`, the oldest first; answers how many. */
    async purge(step: number, until: number, batchSize: number): Promise<number> {
      const expired = sql`select step, at, series from statistics_buckets
        where step = ${step} and at <= ${until} order by at limit ${batchSize}`
      // A common table expression: PostgreSQL may evaluate a subselect of \`in\` for each row.
      const { numAffectedRows = 0n } = await (isPostgres(db)
        ? sql`with expired as materialized (${expired} for update skip locked)
            delete from statistics_buckets as old using expired
            where (old.step, old.at, old.series) = (expired.step, expired.at, expired.series)`
        : sql`delete from statistics_buckets where (step, at, series) in (${expired})`
      ).execute(db)
      return Number(numAffectedRows)
    },
  }
}

function byKey(one: Bucket, other: Bucket): number {
  if (one.step !== other.step) return one.step - other.step
  if (one.at !== other.at) return one.at - other.at
  return one.series < other.series ? -1 : 1
}
