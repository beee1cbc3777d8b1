import { setImmediate } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { cut, type Place } from '../../core/http/lists/cursor.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { workQueue } from '../../core/queues/work-queue.ts'
import { type Condition, conditionsOf, isFound, rangeOf } from './list-filters.ts'
import type { AccountCursor, AccountFilters, AccountListQuery, AccountOrder } from './list-query.ts'
import { accountSearch, maxCandidates } from './list-search.ts'
import { accountListStore, type ListedAccount, type Query } from './list-store.ts'
import { countedAccounts } from './standing-store.ts'

/** Lists accounts by filters, in an order, from a place. docs/adr/0072 */
export interface AccountList {
  /** @throws ApiError serviceUnavailable if too many lists are read */
  page(wanted: AccountListQuery): Promise<AccountListPage>
}

/**
 * A page. It has fewer accounts than were asked for, or none, and yet a `next`, if that many rows
 * were looked through that the rest is for the next page.
 */
export interface AccountListPage {
  readonly accounts: readonly ListedAccount[]
  /** How many accounts match; null if they are too many to be counted. */
  readonly total: number | null
  readonly next: AccountCursor | null
  readonly previous: AccountCursor | null
}

export interface AccountListDeps {
  readonly config: Pick<Config, 'database'>
  readonly db: Database
  readonly clock: Clock
}

/** The rows that one statement looks at, which takes a millisecond or two. */
const stepRows = 1000
/** How many rows a page looks through, and for how long: the first bound that is met ends it. */
const maxRows = 20_000
const maxWalkMs = 25

const maxPages = { sqlite: 100, postgres: 4 }
const refusal = { retryAfterSeconds: 1, reason: 'too many lists of accounts are read' }

/** Part of a list in one direction. */
interface Part {
  readonly found: readonly Place[]
  /** Where what follows begins; null if nothing does. */
  readonly rest: Place | null
  readonly total: number | null
}

interface Reading {
  readonly after: Place | null
  readonly limit: number
}

/**
 * Reads the list so that a page costs about the same whatever is asked for. If an index finds few
 * candidates for one of the filters, these are judged by the others and sorted. If all filters have
 * many, the index of the order is walked, and what stands there is judged until the page is full; as
 * many accounts match, that is soon. If it is not, because filters exclude each other, the page ends
 * after 20,000 rows. SQLite runs on the thread that answers all requests: each statement is short,
 * and other requests are served between two.
 */
export function createAccountList({ config, db, clock }: AccountListDeps): AccountList {
  const { poolMax, timeoutMs } = config.database
  const kind = isPostgres(db) ? 'postgres' : 'sqlite'
  const running = isPostgres(db)
    ? Math.max(1, Math.min(maxPages.postgres, Math.floor(poolMax / 2)))
    : maxPages.sqlite
  const pages = workQueue({ running, waiting: isPostgres(db) ? maxPages.sqlite : 0, ...refusal })
  const steps = workQueue({ running: 1, waiting: Number.POSITIVE_INFINITY, ...refusal })
  const store = accountListStore(db)

  return { page: (wanted) => pages.run(() => page(wanted)) }

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
      // If what precedes is no more than a page, it is the first one.
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
    const reading = { after, limit: limit + 1 } // one more shows whether another page follows
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
      // A page must not end at a row of an import under way: the cursor would show its name.
      if (step.last.isStaged) continue
      rows += step.rows
      if (rows >= maxRows || turns.takenMs() - startedMs > maxWalkMs) return { found, rest: place }
    }
  }

  /** The turns of one page. On PostgreSQL, `statement_timeout` ends a statement that takes too long. */
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
              await setImmediate() // other requests have their turn
              return done
            }),
    }
  }
}

interface ListQuery extends Query {
  /** The candidates of a filter that has few; null if all have many. */
  readonly candidates: RawBuilder<unknown> | null
  readonly isFiltered: boolean
}

/** Runs the statements of one page in their turns. */
interface Turns {
  step<T>(work: () => Promise<T>): Promise<T>
  /** How long its statements have taken. */
  takenMs(): number
}

/** Cuts off what is beyond a page. */
function part(found: readonly Place[], limit: number): Omit<Part, 'total'> {
  const { shown, last } = cut(found, limit)
  return { found: shown, rest: last }
}
