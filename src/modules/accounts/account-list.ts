import { setImmediate } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Config } from '../../core/config/load.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { cut, type Place } from '../../core/http/lists/cursor.ts'
import { workQueue } from '../../core/queues/work-queue.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { type Condition, conditionsOf, isFound, rangeOf } from './list-filters.ts'
import type { AccountCursor, AccountFilters, AccountListQuery, AccountOrder } from './list-query.ts'
import { accountSearch, maxCandidates } from './list-search.ts'
import { accountListStore, type ListedAccount, type Query } from './list-store.ts'
import { countedAccounts } from './standing-store.ts'

/** docs/adr/0072 */
export type AccountList = ReturnType<typeof createAccountList>

/**
 * A page can have fewer accounts than requested, or none, and still a `next`: the row limit ends
 * the page early.
 */
export interface AccountListPage {
  readonly accounts: readonly ListedAccount[]
  /** Null if there are too many matches to count. */
  readonly total: number | null
  readonly next: AccountCursor | null
  readonly previous: AccountCursor | null
}

/** Rows per statement: 1 to 2 ms. */
const stepRows = 1000
/** Limits of one page; the first limit reached ends the page. */
const maxRows = 20_000
const maxWalkMs = 25

const maxPages = { sqlite: 100, postgres: 4 }
const refusal = { retryAfterSeconds: 1, reason: 'too many lists of accounts are read' }

interface Part {
  readonly found: readonly Place[]
  /** Null if nothing follows. */
  readonly rest: Place | null
  readonly total: number | null
}

interface Reading {
  readonly after: Place | null
  readonly limit: number
}

/**
 * Keeps the cost of a page about constant. If a filter has few candidates in an index, the
 * candidates are filtered and sorted. Otherwise the index of the sort order is scanned until the
 * page is full, or ends after 20,000 rows if the filters exclude each other. SQLite blocks the
 * event loop, so statements are short.
 */
export function createAccountList({
  config,
  db,
  clock,
}: Pick<Deps, 'clock' | 'db'> & { readonly config: Pick<Config, 'database'> }) {
  const { poolMax, timeoutMs } = config.database
  const kind = isPostgres(db) ? 'postgres' : 'sqlite'
  const running = isPostgres(db)
    ? Math.max(1, Math.min(maxPages.postgres, Math.floor(poolMax / 2)))
    : maxPages.sqlite
  const pages = workQueue({ running, waiting: isPostgres(db) ? maxPages.sqlite : 0, ...refusal })
  const steps = workQueue({ running: 1, waiting: Number.POSITIVE_INFINITY, ...refusal })
  const store = accountListStore(db)

  return {
    /** @throws ApiError serviceUnavailable if too many lists are read at the same time */
    page: (wanted: AccountListQuery) => pages.run(() => page(wanted)),
  }

  async function page({
    filters,
    order,
    limit,
    cursor,
  }: AccountListQuery): Promise<AccountListPage> {
    const turns = createTurns()
    const shown = (found: readonly Place[]) => {
      const ids = found.map(({ id }) => id)
      return turns.step(() => store.read(ids, clock.now()))
    }
    const query = await queryOf(filters, order, turns)
    if (cursor?.isBefore) {
      const back = { ...query, order: { ...order, descending: !order.descending } }
      const { found, rest, total } = await read(back, { after: cursor.place, limit }, turns)
      // If no more than a page precedes, this is the first page.
      if (rest) {
        const onPage = found.toReversed()
        return {
          accounts: await shown(onPage),
          total,
          next: { place: onPage.at(-1) ?? rest, isBefore: false },
          previous: { place: rest, isBefore: true },
        }
      }
    }
    const after = cursor && !cursor.isBefore ? cursor.place : null
    const { found, rest, total } = await read(query, { after, limit }, turns)
    return {
      accounts: await shown(found),
      total,
      next: rest && { place: rest, isBefore: false },
      previous: after && { place: found[0] ?? after, isBefore: true },
    }
  }

  async function queryOf(
    filters: AccountFilters,
    order: AccountOrder,
    turns: Turns,
  ): Promise<ListQuery> {
    const conditions = conditionsOf(filters, clock.now())
    const { search } = filters
    const all = conditions.map(({ holds }) => holds)
    if (search !== undefined) all.push(isFound(search, kind))
    return {
      order,
      holds: all.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(all, sql` and `)})`,
      readsUsers: search !== undefined,
      range: rangeOf(filters, order),
      isFiltered: all.length > 0,
      candidates:
        (await fewOf(conditions, turns)) ??
        (search === undefined ? null : await accountSearch(db, search, turns.step)),
    }
  }

  async function fewOf(
    conditions: readonly Condition[],
    turns: Turns,
  ): Promise<RawBuilder<unknown> | null> {
    const everyAccount = sql`select user_id as id from accounts`
    for (const candidates of [...conditions.map((each) => each.candidates), everyAccount]) {
      if (!candidates) continue
      const total = await turns.step(() => store.count(candidates, maxCandidates + 1))
      if (total <= maxCandidates) return candidates
    }
    return null
  }

  async function read(query: ListQuery, { after, limit }: Reading, turns: Turns): Promise<Part> {
    const { candidates, isFiltered } = query
    if (!candidates) {
      const total = isFiltered ? null : ((await countedAccounts(db)).get('total') ?? 0)
      return { ...(await walk(query, { after, limit }, turns)), total }
    }
    const reading = { after, limit: limit + 1 } // one more, to detect a next page
    const { found, total } = await turns.step(() => store.among(candidates, query, reading))
    return { ...part(found, limit), total }
  }

  async function walk(
    query: Query,
    { after, limit }: Reading,
    turns: Turns,
  ): Promise<Omit<Part, 'total'>> {
    const found: Place[] = []
    let place = after
    let rows = 0
    const startedMs = turns.takenMs()
    for (;;) {
      const from = place
      const step = await turns.step(() => store.step(query, from, stepRows))
      found.push(...step.found)
      if (found.length > limit) return part(found, limit)
      if (!step.last || step.rows < stepRows) return { found, rest: null }
      place = { id: step.last.id, value: step.last.value }
      // The cursor would reveal the name of a staged row.
      if (step.last.isStaged) continue
      rows += step.rows
      if (rows >= maxRows || turns.takenMs() - startedMs > maxWalkMs) return { found, rest: place }
    }
  }

  /** On PostgreSQL, `statement_timeout` limits a statement. */
  function createTurns(): Turns {
    let takenMs = 0
    const timed = async <T>(work: () => Promise<T>) => {
      const startedAt = performance.now()
      const done = await work()
      takenMs += performance.now() - startedAt
      if (takenMs > timeoutMs) throw new DatabaseUnavailable('the list of accounts takes too long')
      return done
    }
    return {
      takenMs: () => takenMs,
      step: (work) =>
        kind === 'postgres'
          ? timed(work)
          : steps.run(async () => {
              const done = await timed(work)
              await setImmediate() // lets other requests run
              return done
            }),
    }
  }
}

interface ListQuery extends Query {
  /** Null if every filter has many candidates. */
  readonly candidates: RawBuilder<unknown> | null
  readonly isFiltered: boolean
}

interface Turns {
  step<T>(work: () => Promise<T>): Promise<T>
  takenMs(): number
}

function part(found: readonly Place[], limit: number): Omit<Part, 'total'> {
  const { shown, last } = cut(found, limit)
  return { found: shown, rest: last }
}
