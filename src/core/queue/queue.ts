import { type RawBuilder, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPostgres } from '../database/transactions.ts'

type Column<Table extends keyof Schema> = keyof Schema[Table] & string

/** Columns to set: values or expressions. */
export type Columns<Table extends keyof Schema> = {
  readonly [Name in Column<Table> & keyof Updateable<Schema[Table]>]?:
    | Updateable<Schema[Table]>[Name]
    | RawBuilder<unknown>
}

/** How the rows of a table are a durable queue. Times are epoch milliseconds. */
export interface QueueTable<
  Table extends keyof Schema,
  Key extends Column<Table>,
  Owner extends Column<Table>,
> {
  readonly table: Table
  readonly key: Key
  /** Who holds the lease: another value for each claim, because a process may lose its own lease to itself. */
  readonly owner: Owner
  /** Rows that wait or are leased: the condition of the index that begins with `order`. */
  readonly isOpen: RawBuilder<SqlBool>
  readonly isLeased: RawBuilder<SqlBool>
  /** When a row is due; not later than `leasedUntil` while the row is leased. */
  readonly dueAt: RawBuilder<unknown>
  readonly leasedUntil: RawBuilder<unknown>
  readonly order: RawBuilder<unknown>
  /** The columns of a row that waits until a time, without an owner. */
  readonly waiting: (dueAt: number) => Columns<Table>
  /** The columns of a row that is leased until a time, without the owner. */
  readonly leased: (until: number) => Columns<Table>
  /** The columns of a row whose lease ends for good, such as `locked_by: null`. */
  readonly ended: Columns<Table>
  readonly leaseMs: number
  /** Longer delays and leases come from a node whose clock was ahead: see `capDelays`. */
  readonly maxDelayMs: number
  readonly maxLeaseMs: number
}

/**
 * Returns the statements of a durable queue: at least once, one worker per row at a time, on any
 * number of nodes. A worker that has lost its lease changes nothing: `renew`, `retry` and `end` then
 * return false. docs/adr/0083
 */
export function durableQueue<
  Table extends keyof Schema,
  Key extends Column<Table>,
  Owner extends Column<Table>,
>(queue: QueueTable<Table, Key, Owner>) {
  type Row = Selectable<Schema[Table]>
  /** The row as it was claimed, or its key and owner. */
  type Claim = Pick<Row, (Key | Owner) & keyof Row>
  const { isLeased, isOpen, leasedUntil, dueAt } = queue
  const [table, key, owner] = [sql.table(queue.table), sql.ref(queue.key), sql.ref(queue.owner)]

  return (db: DatabaseOrTransaction) => {
    async function update(
      { where, order = queue.order, limit }: Batch,
      columns: Columns<Table>,
    ): Promise<Row[]> {
      const rows = sql`select ${key} from ${table} where ${where} order by ${order} limit ${sql.lit(limit)}`
      // An array: PostgreSQL may evaluate a subselect of `in` again for each row.
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
      /** Leases the first row that is due, or whose lease has expired. Workers never wait for each other. */
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

      /** Extends a lease, and sets columns such as the progress. */
      renew: (claim: Claim, now: number, columns: Columns<Table> = {}): Promise<boolean> =>
        change(claim, { ...columns, ...queue.leased(now + queue.leaseMs) }),

      /** Gives a row back: it is due at a time. */
      retry: (claim: Claim, at: number, columns: Columns<Table> = {}): Promise<boolean> =>
        change(claim, { ...columns, ...queue.waiting(at) }),

      /** Ends the lease for good, with the state of the result. */
      end: (claim: Claim, columns: Columns<Table> = {}): Promise<boolean> =>
        change(claim, { ...columns, ...queue.ended }),

      /**
       * Changes rows that no worker holds: those that have expired, or whose worker is gone. Returns the
       * changed rows.
       */
      changeFree: (
        now: number,
        { where, ...batch }: Batch,
        columns: Columns<Table>,
      ): Promise<Row[]> =>
        update(
          { ...batch, where: sql`${where} and not (${isLeased} and ${leasedUntil} > ${now})` },
          { ...columns, ...queue.ended },
        ),

      /** Makes rows due whose delay or lease is too long: the clock of the node that wrote them was ahead. */
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
