import { setImmediate } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { workQueue } from '../bounded/work-queue.ts'
import type { Config } from '../config/load.ts'
import type { Database } from '../database/database.ts'
import { DatabaseUnavailable } from '../database/errors.ts'
import { isPostgres } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountCursor, AccountOrder, AccountPlace } from './list-cursor.ts'
import { type Condition, conditionsOf, isFound } from './list-filters.ts'
import type { AccountFilters, WantedAccounts } from './list-query.ts'
import { accountSearch, maxCandidates } from './list-search.ts'
import { accountListStore, type Found, type ListedAccount, reversed } from './list-store.ts'
import { countedAccounts } from './standing-store.ts'

/** Lists accounts by filters, in an order, from a place. docs/adr/0072 */
export interface AccountList {
  /** @throws ApiError serviceUnavailable if too many lists are read */
  page(wanted: WantedAccounts): Promise<AccountListPage>
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
/** How many rows a page looks through. */
const maxRows = 20_000

const maxPages = { sqlite: 100, postgres: 4 }
const refusal = { retryAfterSeconds: 1, reason: 'too many lists of accounts are read' }

/** Part of a list in one direction. */
interface Part {
  readonly found: readonly Found[]
  /** Where what follows begins; null if nothing does. */
  readonly rest: AccountPlace | null
  readonly total: number | null
}

interface Reading {
  readonly order: AccountOrder
  readonly after: AccountPlace | null
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

  async function page({ filters, order, limit, cursor }: WantedAccounts): Promise<AccountListPage> {
    const turns = createTurns()
    const query = await queryOf(filters, turns)
    if (cursor?.isBefore) {
      const after = cursor.place
      const part = await read(query, { order: reversed(order), after, limit }, turns)
      const found = part.found.toReversed()
      if (part.rest) {
        const next = found.at(-1) ?? part.rest
        return {
          accounts: await turns.step(() => store.read(idsOf(found), clock.now())),
          total: part.total,
          next: { place: next, isBefore: false },
          previous: { place: part.rest, isBefore: true },
        }
      }
      // What precedes is no more than a page: it is the first one.
    }
    const after = cursor && !cursor.isBefore ? cursor.place : null
    const { found, rest, total } = await read(query, { order, after, limit }, turns)
    return {
      accounts: await turns.step(() => store.read(idsOf(found), clock.now())),
      total,
      next: rest && { place: rest, isBefore: false },
      previous: after && { place: found[0] ?? after, isBefore: true },
    }
  }

  /** The condition of all filters, and the candidates of one that has few. */
  async function queryOf(filters: AccountFilters, turns: Turns): Promise<ListQuery> {
    const conditions = conditionsOf(filters, clock.now())
    const { search } = filters
    const all = conditions.map(({ holds }) => holds)
    if (search !== undefined) all.push(isFound(search, kind))
    const holds =
      all.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(all, sql` and `)})`
    const few =
      (await fewOf(conditions, turns)) ??
      (search === undefined ? null : await accountSearch(db, search, turns.step))
    return { holds, candidates: few, isFiltered: all.length > 0 }
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

  async function read(query: ListQuery, reading: Reading, turns: Turns): Promise<Part> {
    const { holds, candidates } = query
    const { order, after, limit } = reading
    if (!candidates) {
      const total = query.isFiltered ? null : ((await countedAccounts(db)).get('total') ?? 0)
      return { ...(await walk(holds, reading, turns)), total }
    }
    const walked = { order, after, holds }
    const among = () => store.among(candidates, walked, limit + 1)
    const { found, total } = await turns.step(among)
    return { ...cut(found, limit), total }
  }

  async function walk(
    holds: RawBuilder<boolean>,
    { order, after, limit }: Reading,
    turns: Turns,
  ): Promise<Omit<Part, 'total'>> {
    const found: Found[] = []
    let place = after
    let rows = 0
    for (;;) {
      const from = place
      const step = await turns.step(() => store.step({ order, after: from, holds }, stepRows))
      found.push(...step.found)
      if (found.length > limit) return cut(found, limit)
      if (!step.last || step.rows < stepRows) return { found, rest: null }
      place = { id: step.last.id, value: step.last.value }
      // A page must not end at a row of an import under way: the cursor would show its name.
      if (!step.last.isStaged) {
        rows += step.rows
        if (rows >= maxRows) return { found, rest: place }
      }
    }
  }

  function createTurns(): Turns {
    if (kind === 'postgres') return { step: (work) => work() }
    let leftMs = timeoutMs
    return {
      step: (work) =>
        steps.run(async () => {
          const startedAt = performance.now()
          const done = await work()
          leftMs -= performance.now() - startedAt
          await setImmediate()
          if (leftMs <= 0) throw new DatabaseUnavailable('the list of accounts takes too long')
          return done
        }),
    }
  }
}

interface ListQuery {
  readonly holds: RawBuilder<boolean>
  /** Null if all filters have many. */
  readonly candidates: RawBuilder<unknown> | null
  readonly isFiltered: boolean
}

/** Runs the statements of one page in their turns. */
interface Turns {
  step<T>(work: () => Promise<T>): Promise<T>
}

/** Cuts off what is beyond a page. */
function cut(found: readonly Found[], limit: number): Omit<Part, 'total'> {
  const onPage = found.slice(0, limit)
  return { found: onPage, rest: found.length > limit ? (onPage.at(-1) ?? null) : null }
}

function idsOf(found: readonly Found[]): number[] {
  return found.map(({ id }) => id)
}
