import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../core/database/database.ts'
import { isPresentUser } from '../../core/database/pending-import.ts'
import { hasSearchIndex } from '../../core/database/postgres/server.ts'
import { caseFold } from '../../core/lib/text.ts'
import { workQueue } from '../../core/queues/work-queue.ts'
import { type FindUsers, maxExactTotal, type Search, shown, sorted, toUser } from './lists.ts'
import { type Pattern, patternOf } from './trigrams.ts'

const maxSearches = 4
const maxWaiting = 100
// Full table scans.
const maxSearchesWithoutIndex = 2
const refusal = { retryAfterSeconds: 1, reason: 'too many searches run' }

/**
 * Uses the pg_trgm index; without the index at most two concurrent table scans, others are
 * rejected. Uses at most half of `poolMax`; `statement_timeout` is DATABASE_TIMEOUT_MS.
 */
export function searchPostgres(db: Database, poolMax: number): FindUsers {
  const running = Math.max(1, Math.min(maxSearches, Math.floor(poolMax / 2)))
  const indexed = workQueue({ running, waiting: maxWaiting, ...refusal })
  const unindexed = workQueue({
    running: Math.min(running, maxSearchesWithoutIndex),
    waiting: 0,
    ...refusal,
  })
  let hasIndex = false

  return async (search) => {
    const pattern = patternOf(caseFold(search.text), search.text)
    hasIndex ||= await hasSearchIndex(db) // may be created at run time
    // Prefix searches use the sort indexes.
    const queue = hasIndex || pattern.isBeginning ? indexed : unindexed
    return queue.run(() => find(search, pattern))
  }

  async function find({ order, limit, offset = 0, after }: Search, pattern: Pattern) {
    const part = async () => {
      const query = sorted(matching(pattern).select(shown), order, after)
      return (await query.limit(limit).offset(offset).execute()).map(toUser)
    }
    const isFirst = !after && offset === 0
    const first = isFirst ? await part() : null
    // Contains all matches.
    if (first && first.length < limit && first.length <= maxExactTotal) {
      return { users: first, total: first.length }
    }
    const total = await count(pattern)
    const isPastEnd = total <= maxExactTotal && offset >= total
    return { users: first ?? (isPastEnd ? [] : await part()), total }
  }

  async function count(pattern: Pattern): Promise<number> {
    const some = matching(pattern)
      .select('users.id')
      .limit(maxExactTotal + 1)
    const { total } = await db
      .selectFrom(some.as('some'))
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  }

  function matching(pattern: Pattern) {
    return db.selectFrom('users').where(isPresentUser).where(matches(pattern))
  }
}

function matches({ text, isBeginning }: Pattern): RawBuilder<boolean> {
  const pattern = `${isBeginning ? '' : '%'}${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`(users.name_key like ${pattern} or users.email_key like ${pattern})`
}
