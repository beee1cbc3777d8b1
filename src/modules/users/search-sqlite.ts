import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { batchesOf } from '../../core/database/batches.ts'
import type { Database } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { isPresentUser } from '../../core/database/pending-import.ts'
import { caseFold } from '../../core/lib/text.ts'
import { workQueue } from '../../core/queues/work-queue.ts'
import {
  type FindUsers,
  maxExactTotal,
  type Order,
  type Position,
  positionOf,
  type Search,
  shown,
  sorted,
  toUser,
} from './lists.ts'
import { integer, type Pattern, patternOf, trigramsOf } from './trigrams.ts'
import type { User } from './user.ts'

const maxSearches = 100
const refusal = { retryAfterSeconds: 1, reason: 'too many searches run' }
/** Rows per statement: one or two milliseconds. */
const maxRows = 1000
/** Ids in the first statement; often sufficient. */
const firstStep = 20_000
const maxStep = 640_000

/** Remaining time of a search. */
interface Budget {
  leftMs: number
}

type Matches = AsyncGenerator<User[], void>

/**
 * SQLite blocks the thread of all requests and has no statement timeout, so a search uses short
 * statements, one at a time, with other requests in between. Aborted after `timeoutMs` of statement
 * time. The index finds candidates; rows confirm matches.
 */
export function searchSqlite(db: Database, timeoutMs: number): FindUsers {
  const searches = workQueue({ running: maxSearches, waiting: 0, ...refusal })
  const steps = workQueue({ running: 1, waiting: Number.POSITIVE_INFINITY, ...refusal })

  return (search) => searches.run(() => find(search, { leftMs: timeoutMs }))

  async function find({ text, order, limit, offset = 0, after }: Search, budget: Budget) {
    const pattern = patternOf(caseFold(text), text)
    const first = await take(walkIndex(pattern, budget), { offset: 0, limit: maxExactTotal + 1 })
    const total = first.length
    const isById = order.key === 'id'
    const isStart = isById && !order.descending && !after && offset + limit <= total
    if (total <= maxExactTotal || isStart) {
      return { users: sortedUsers(first, order, after).slice(offset, offset + limit), total }
    }
    const walk = isById
      ? walkIndex(pattern, budget, order.descending, after?.id)
      : walkOrder(pattern, budget, order, after)
    return { users: await take(walk, { offset, limit }), total }
  }

  /** In id order. */
  async function* walkIndex(
    pattern: Pattern,
    budget: Budget,
    descending = false,
    afterId?: number,
  ): Matches {
    const terms = trigramsOf(pattern)
    const direction = descending ? sql`desc` : sql`asc`
    const last = descending ? 1 : ((await idNext(budget, undefined, true)) ?? 0)
    let from = descending ? await idNext(budget, afterId, true) : (afterId ?? 0) + 1
    for (let width = firstStep; from !== undefined; width = Math.min(width * 8, maxStep)) {
      const to: number = descending ? Math.max(from - width, last) : Math.min(from + width, last)
      if (descending ? from < last : from > last) return
      const candidates = sql<{ id: number }>`(
        select rowid as id from users_search(${terms})
        where rowid between ${integer(Math.min(from, to))} and ${integer(Math.max(from, to))}
        order by rowid ${direction} limit ${maxRows})`
      const query = db
        .selectFrom(candidates.as('found'))
        .leftJoin('users', 'users.id', 'found.id')
        .select(['found.id', 'users.name', 'users.email', matches(pattern).as('matches')])
        .orderBy('found.id', descending ? 'desc' : 'asc')
      const rows = await step(budget, () => query.execute())
      yield rows.flatMap(({ id, name, email, matches }) =>
        matches && name !== null && email !== null ? [{ id, name, email }] : [],
      )
      const behind = rows.length === maxRows ? rows.at(-1)?.id : to
      if (behind === undefined) return
      // Ids may have large gaps.
      if (rows.length === 0 && width === maxStep) from = await idNext(budget, behind, descending)
      else from = descending ? behind - 1 : behind + 1
    }
  }

  /** The following id; default: the first or last. */
  async function idNext(
    budget: Budget,
    behind: number | undefined,
    descending: boolean,
  ): Promise<number | undefined> {
    const all = db
      .selectFrom('users')
      .select('id')
      .orderBy('id', descending ? 'desc' : 'asc')
      .limit(1)
    const query = behind === undefined ? all : all.where('id', descending ? '<' : '>', behind)
    return (await step(budget, () => query.executeTakeFirst()))?.id
  }

  /** For many matches in name or email order: tests each user. */
  async function* walkOrder(
    pattern: Pattern,
    budget: Budget,
    order: Order,
    after: Position | undefined,
  ): Matches {
    const query = db.selectFrom('users').select([...shown, matches(pattern).as('matches')])
    const batches = batchesOf({
      from: after,
      size: maxRows,
      read: (position, limit) =>
        step(budget, () => sorted(query, order, position).limit(limit).execute()),
      placeOf: (last) => positionOf(last, order),
    })
    for await (const rows of batches) {
      yield rows.flatMap((row) => (row.matches ? [toUser(row)] : []))
    }
  }

  /** Runs after waiting statements. */
  function step<T>(budget: Budget, work: () => Promise<T>): Promise<T> {
    return steps.run(async () => {
      const startedAt = performance.now()
      const done = await work()
      budget.leftMs -= performance.now() - startedAt
      await setImmediate()
      if (budget.leftMs <= 0) throw new DatabaseUnavailable('the search takes too long')
      return done
    })
  }
}

/** Skips `offset`, collects up to `limit`. */
async function take(
  walk: Matches,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<User[]> {
  const users: User[] = []
  let passed = 0
  for await (const some of walk) {
    users.push(...some.slice(Math.max(0, offset - passed)).slice(0, limit - users.length))
    passed += some.length
    if (users.length >= limit) break
  }
  return users
}

/** As the database does: folded bytes, then id. */
function sortedUsers(users: readonly User[], order: Order, after: Position | undefined): User[] {
  const sign = order.descending ? -1 : 1
  const keyed = users.map((user) => ({ user, ...keyOf(positionOf(user, order)) }))
  const start = after && keyOf(after)
  return keyed
    .filter((key) => !start || sign * compare(key, start) > 0)
    .sort((one, other) => sign * compare(one, other))
    .map(({ user }) => user)
}

interface Key {
  readonly bytes: Buffer
  readonly id: number
}

function keyOf({ value, id }: Position): Key {
  return { bytes: Buffer.from(value), id }
}

function compare(one: Key, other: Key): number {
  return Buffer.compare(one.bytes, other.bytes) || one.id - other.id
}

function matches({ text, isBeginning }: Pattern): RawBuilder<number> {
  const holds = isBeginning
    ? sql`(substr(users.name_key, 1, length(${text})) = ${text}
        or substr(users.email_key, 1, length(${text})) = ${text})`
    : sql`(instr(users.name_key, ${text}) > 0 or instr(users.email_key, ${text}) > 0)`
  return sql<number>`(users.id is not null and ${isPresentUser} and ${holds})`
}
