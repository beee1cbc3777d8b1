import { type RawBuilder, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPostgres } from '../database/transactions.ts'

type Column<Table extends keyof Schema> = keyof Schema[Table] & string

export type Columns<Table extends keyof Schema> = {
  readonly [Name in Column<Table> & keyof Updateable<Schema[Table]>]?:
    | Updateable<Schema[Table]>[Name]
    | RawBuilder<unknown>
}

/** Times: epoch milliseconds. */
export interface QueueTable<
  Table extends keyof Schema,
  Key extends Column<Table>,
  Owner extends Column<Table>,
> {
  readonly table: Table
  readonly key: Key
  /** Unique per claim, because a process may lose a lease to itself. */
  readonly owner: Owner
  /** Waiting or leased rows: the index condition. */
  readonly isOpen: RawBuilder<SqlBool>
  readonly isLeased: RawBuilder<SqlBool>
  /** At most `leasedUntil` while leased. */
  readonly dueAt: RawBuilder<unknown>
  readonly leasedUntil: RawBuilder<unknown>
  readonly order: RawBuilder<unknown>
  /** Without an owner. */
  readonly waiting: (dueAt: number) => Columns<Table>
  /** Except the owner. */
  readonly leased: (until: number) => Columns<Table>
  /** After the lease, such as `locked_by: null`. */
  readonly ended: Columns<Table>
  readonly leaseMs: number
  /** See `capDelays`. */
  readonly maxDelayMs: number
  readonly maxLeaseMs: number
}

/**
 * At-least-once queue for any number of nodes, one worker per row. After a lost lease, `renew`,
 * `retry` and `end` return false without a change. docs/adr/0083
 */
export function durableQueue<
  Table extends keyof Schema,
  Key extends Column<Table>,
  Owner extends Column<Table>,
>(queue: QueueTable<Table, Key, Owner>) {
  type Row = Selectable<Schema[Table]>
  type Claim = Pick<Row, (Key | Owner) & keyof Row>
  const { isLeased, isOpen, leasedUntil, dueAt } = queue
  const [table, key, owner] = [sql.table(queue.table), sql.ref(queue.key), sql.ref(queue.owner)]

  return (db: DatabaseOrTransaction) => {
    async function update(
      { where, order = queue.order, limit }: Batch,
      columns: Columns<Table>,
    ): Promise<Row[]> {
      const rows = sql`select ${key} from ${table} where ${where} order by ${order} limit ${sql.lit(limit)}`
      // An array: PostgreSQL may re-evaluate an `in` subselect for each row.
      const isRow = isPostgres(db)
        ? sql`= any(array(${rows} for update skip locked))`
        : sql`in (${rows})`
      const result = await sql<Row>`update ${table} set ${assignments(columns)}
        where ${key} ${isRow} returning *`.execute(db)
      return result.rows
    }

    async function change(claim: Claim, columns: Columns<Table>): Promise<boolean> {
      const { [queue.key as keyof Claim]: id, [queue.owner as keyof Claim]: holder } = claim
      const result = await sql`update ${table} set ${assignments(columns)}
        where ${key} = ${id} and ${owner} = ${holder} and ${isOpen} and ${isLeased}`.execute(db)
      return (result.numAffectedRows ?? 0n) > 0n
    }

    return {
      /** Claims the first due row or expired lease. Workers never block each other. */
      async claim(
        now: number,
        columns: Columns<Table> & { readonly [Name in Owner]: unknown },
        where: RawBuilder<unknown> = sql`1 = 1`,
      ): Promise<Row | null> {
        const isFree = sql`${isOpen} and ${dueAt} <= ${now}
          and (not ${isLeased} or ${leasedUntil} <= ${now}) and ${where}`
        const leased = { ...columns, ...queue.leased(now + queue.leaseMs) }
        return (await update({ where: isFree, limit: 1 }, leased))[0] ?? null
      },

      /** Extends a lease and sets columns. */
      renew: (claim: Claim, now: number, columns: Columns<Table> = {}): Promise<boolean> =>
        change(claim, { ...columns, ...queue.leased(now + queue.leaseMs) }),

      /** Releases the row until `at`. */
      retry: (claim: Claim, at: number, columns: Columns<Table> = {}): Promise<boolean> =>
        change(claim, { ...columns, ...queue.waiting(at) }),

      /** Ends the lease, with the result's columns. */
      end: (claim: Claim, columns: Columns<Table> = {}): Promise<boolean> =>
        change(claim, { ...columns, ...queue.ended }),

      /** Returns changed expired or abandoned rows. */
      changeFree: (
        now: number,
        { where, ...batch }: Batch,
        columns: Columns<Table>,
      ): Promise<Row[]> =>
        update(
          { ...batch, where: sql`${where} and not (${isLeased} and ${leasedUntil} > ${now})` },
          { ...columns, ...queue.ended },
        ),

      /** Makes rows due whose delay or lease is too long: the writing node's clock was ahead. */
      async capDelays(now: number, limit: number): Promise<number> {
        const isAhead = sql`${isOpen} and (not ${isLeased} and ${dueAt} > ${now + queue.maxDelayMs}
          or ${isLeased} and ${leasedUntil} > ${now + queue.maxLeaseMs})`
        return (await update({ where: isAhead, limit }, queue.waiting(now))).length
      },
    }
  }
}

interface Batch {
  readonly where: RawBuilder<unknown>
  readonly order?: RawBuilder<unknown>
  readonly limit: number
}

function assignments(columns: object): RawBuilder<unknown> {
  const set = Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  return sql.join(set)
}
