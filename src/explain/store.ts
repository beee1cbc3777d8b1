import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import { preparedForLists } from '../database/prepared.ts'
import type { FactValue } from '../kernel/errors.ts'

/** A refusal as it is kept. Times in epoch milliseconds. */
export interface Refusal {
  /** The id of the request. */
  readonly id: string
  readonly at: number
  readonly status: number
  /** The name of the error. */
  readonly error: string
  readonly method: string
  /** The pattern of the route; null if the path is unknown. */
  readonly route: string | null
  readonly code: string
  readonly facts: Readonly<Record<string, FactValue>>
  readonly scheme: string | null
  /** The user of the account concerned, otherwise the caller. */
  readonly subject: string | null
  readonly address: string
  /** The address, or the /64 network of an IPv6 address. */
  readonly network: string
}

/** How many rows are kept: in all, and of a network. */
export interface Bounds {
  readonly max: number
  readonly maxPerNetwork: number
}

// A statement is prepared for each of these numbers of rows; one for any number would be compiled anew
// for each second of a flood.
const rowsPerInsert = [64, 16, 4, 1]

type Row = Omit<Refusal, 'facts'> & { readonly facts: string }

const insertRows = preparedForLists<{ rows: Row[] }, object, never>((db, { rows }) =>
  db
    .insertInto('refusals')
    .values(
      rows.map((row) => ({
        id: row.id,
        at: row.at,
        status: row.status,
        error: row.error,
        method: row.method,
        route: row.route,
        code: row.code,
        facts: row.facts,
        scheme: row.scheme,
        subject: row.subject,
        address: row.address,
        network: row.network,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

export function refusalStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: string): Promise<Refusal | null> {
      const row = await db
        .selectFrom('refusals')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      return row ? { ...row, facts: JSON.parse(row.facts) } : null // written below
    },

    async insert(refusals: readonly Refusal[]): Promise<void> {
      const rows = refusals.map((row) => ({ ...row, facts: JSON.stringify(row.facts) }))
      for (const count of rowsPerInsert) {
        while (rows.length >= count) await insertRows.all(db, { rows: rows.splice(0, count) }, {})
      }
    },

    /**
     * Deletes what exceeds the bounds after an insert of these networks: of a network its own
     * oldest rows. If there are too many in all, the networks of this insert give way first, each
     * down to its newest row; then those with the most rows.
     */
    async trim(inserted: readonly string[], { max, maxPerNetwork }: Bounds): Promise<void> {
      const isInserted = sql<boolean>`network in (${sql.join(inserted)})`
      await sql`delete from refusals where id in (
        select id from (
          select id, row_number() over (partition by network order by at desc, id desc) as place
          from refusals where ${isInserted}
        ) as ranked where place > ${maxPerNetwork})`.execute(db)
      const { total } = await db
        .selectFrom('refusals')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      if (Number(total) <= max) return
      await sql`delete from refusals where id in (
        select id from (
          select id, at, network,
            row_number() over (partition by network order by at desc, id desc) as place
          from refusals
        ) as ranked
        order by case when place > 1 and ${isInserted} then 0 else 1 end, place desc, at, id
        limit ${Number(total) - max})`.execute(db)
    },
  }
}
