import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { preparedForLists } from '../../core/database/prepared.ts'
import type { FactValue } from '../../core/errors.ts'
import { levelOff, type NetworkRows } from './level-off.ts'

/** Times in epoch milliseconds. */
export interface Refusal {
  readonly id: string
  readonly at: number
  readonly status: number
  readonly error: string
  readonly method: string
  /** The pattern; null for an unknown path. */
  readonly route: string | null
  readonly code: string
  readonly facts: Readonly<Record<string, FactValue>>
  readonly scheme: string | null
  /** The account concerned, otherwise the caller. */
  readonly subject: string | null
  readonly address: string
  /** The address, or its IPv6 /64. */
  readonly network: string
}

export interface Bounds {
  readonly max: number
  readonly maxPerNetwork: number
}

// Fixed row counts, so that a flood compiles no new statements.
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
      return row ? { ...row, facts: JSON.parse(row.facts) } : null
    },

    async erase(userId: number): Promise<void> {
      await db.deleteFrom('refusals').where('subject', '=', String(userId)).execute()
    },

    async insert(refusals: readonly Refusal[]): Promise<void> {
      const rows = refusals.map((row) => ({ ...row, facts: JSON.stringify(row.facts) }))
      for (const count of rowsPerInsert) {
        while (rows.length >= count) await insertRows.all(db, { rows: rows.splice(0, count) }, {})
      }
    },

    /**
     * Enforces the limits after an insert: oldest rows per network first. In total, the inserting
     * networks shrink first, to their newest row, then the largest networks. Reads few rows,
     * because this runs each second on a full table.
     */
    async trim(inserted: readonly string[], { max, maxPerNetwork }: Bounds): Promise<void> {
      const own = await rowsOf(inserted)
      await drop(new Map(own.map(({ network, rows }) => [network, rows - maxPerNetwork])))
      const tooMany = await excessOf(max)
      if (tooMany === 0) return
      const kept = own.map((one) => ({ ...one, rows: Math.min(one.rows, maxPerNetwork) }))
      await drop(levelOff(kept, tooMany, 1))
      const stillTooMany = await excessOf(max)
      if (stillTooMany > 0) await drop(levelOff(await largest(stillTooMany), stillTooMany, 0))
    },
  }

  async function excessOf(max: number): Promise<number> {
    const { total } = await db
      .selectFrom('refusals')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    // Large after a lowered limit only: the next trim continues.
    return Math.min(maxDropped, Math.max(0, Number(total) - max))
  }

  async function rowsOf(networks: readonly string[]): Promise<NetworkRows[]> {
    const rows = await byNetwork(db).where('network', 'in', networks).execute()
    return rows.map(toNumbers)
  }

  /** Ties: the oldest row first. */
  async function largest(count: number): Promise<NetworkRows[]> {
    const rows = await byNetwork(db)
      .orderBy('rows', 'desc')
      .orderBy('oldest')
      .limit(count)
      .execute()
    return rows.map(toNumbers)
  }

  async function drop(counts: ReadonlyMap<string, number>): Promise<void> {
    const given = [...counts].filter(([, count]) => count > 0)
    if (given.length === 0) return
    const values = given.map(
      ([network, count]) => sql`(cast(${network} as text), cast(${count} as integer))`,
    )
    await sql`with given (network, dropped) as (values ${sql.join(values)})
      delete from refusals where id in (
        select ranked.id from (
          select id, network, row_number() over (partition by network order by at, id) as place
          from refusals where network in (select network from given)
        ) as ranked
        inner join given on given.network = ranked.network
        where ranked.place <= given.dropped)`.execute(db)
  }
}

const maxDropped = 5_000

function byNetwork(db: DatabaseOrTransaction) {
  return db
    .selectFrom('refusals')
    .select('network')
    .select((eb) => [eb.fn.countAll<number>().as('rows'), eb.fn.min('at').as('oldest')])
    .groupBy('network')
}

function toNumbers({ network, rows, oldest }: NetworkRows): NetworkRows {
  return { network, rows: Number(rows), oldest: Number(oldest) }
}
