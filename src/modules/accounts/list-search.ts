import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../core/database/database.ts'
import { hasAccountSearchIndex } from '../../core/database/postgres/server.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { integer, type Pattern, trigramsOf } from '../users/trigrams.ts'
import { accountPattern, beginnings, isFound, matches } from './list-filters.ts'
import { countedAccounts } from './standing-store.ts'

/** With more candidates, scan the sort order. */
export const maxCandidates = 2000

/** Ids per statement on SQLite. */
const firstStep = 20_000
const maxStep = 640_000

/** Rows in the PostgreSQL sample; so many matches mean a common text. */
const sampleRows = 1000
const commonInSample = 20
const minSampled = 50_000

type RunStep = <T>(work: () => Promise<T>) => Promise<T>

/** Null with more than `maxCandidates`, or if no index applies. */
export async function accountSearch(
  db: Database,
  search: string,
  step: RunStep,
): Promise<RawBuilder<unknown> | null> {
  const { username, other } = accountPattern(search)
  if (username.isBeginning && other.isBeginning) return few(beginnings(search, maxCandidates + 1))
  if (username.isBeginning || other.isBeginning) return null // normalization has shortened it
  if (!isPostgres(db)) return sqliteCandidates(username, other)
  if (!(await hasAccountSearchIndex(db)) || (await isCommon())) return null
  return few(sql`
    select user_id as id from accounts where ${matches('username', username, 'postgres')}
      or ${matches('verified_email_key', other, 'postgres')}
    union select id from users where ${matches('name_key', other, 'postgres')}
      or ${matches('email_key', other, 'postgres')}`)

  /** GIN collects all matches before the first result: about a second for 100,000. */
  async function isCommon(): Promise<boolean> {
    const total = (await countedAccounts(db)).get('total') ?? 0
    if (total < minSampled) return false
    const { rows } = await step(() =>
      sql<{ total: number }>`
        select count(*) as total
        from accounts tablesample system (${sql.lit((100 * sampleRows) / total)})
        join users on users.id = accounts.user_id
        where ${isFound(search, 'postgres')}`.execute(db),
    )
    return Number(rows[0]?.total) >= commonInSample
  }

  async function few(candidates: RawBuilder<unknown>): Promise<RawBuilder<unknown> | null> {
    const { rows } = await step(() =>
      sql<{ id: number }>`
        select id from (${candidates}) as found limit ${maxCandidates + 1}`.execute(db),
    )
    return rows.length > maxCandidates ? null : listed(rows.map(({ id }) => id))
  }

  async function sqliteCandidates(
    ofUsername: Pattern,
    ofOther: Pattern,
  ): Promise<RawBuilder<unknown> | null> {
    const { rows } = await step(() =>
      sql<{ id: number }>`select coalesce(max(user_id), 0) as id from accounts`.execute(db),
    )
    const last = Number(rows[0]?.id)
    const found = new Set<number>()
    const terms = new Set([trigramsOf(ofUsername), trigramsOf(ofOther)])
    for (const index of ['accounts_search', 'users_search']) {
      for (const term of index === 'users_search' ? [trigramsOf(ofOther)] : terms) {
        if (!(await walk(index, term, last, found))) return null
      }
    }
    return listed([...found])
  }

  /** False if there are too many. */
  async function walk(
    index: string,
    terms: string,
    last: number,
    found: Set<number>,
  ): Promise<boolean> {
    for (let from = 1, width = firstStep; from <= last; ) {
      const to = Math.min(from + width - 1, last)
      const [start, end] = [from, to]
      const { rows } = await step(() =>
        sql<{ id: number }>`
          select rowid as id from ${sql.table(index)}(${terms})
          where rowid between ${integer(start)} and ${integer(end)}
          order by rowid limit ${maxCandidates + 1}`.execute(db),
      )
      for (const { id } of rows) found.add(id)
      if (found.size > maxCandidates) return false
      from = to + 1
      width = Math.min(width * 8, maxStep)
    }
    return true
  }

  /** One parameter, so that the statement text stays constant. */
  function listed(ids: readonly number[]): RawBuilder<unknown> {
    const json = JSON.stringify(ids)
    return isPostgres(db)
      ? sql`select cast(value as bigint) as id from json_array_elements_text(cast(${json} as json))`
      : sql`select value as id from json_each(${json})`
  }
}
