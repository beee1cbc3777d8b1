import { type RawBuilder, sql } from 'kysely'
import { caseFold } from '../../core/lib/text.ts'
import { type Pattern, patternOf } from '../users/trigrams.ts'
import type { AccountFilters, AccountOrder, AccountState } from './list-query.ts'

export interface Condition {
  /** For a row of `accounts` joined with `users`. */
  readonly holds: RawBuilder<boolean>
  /**
   * Selects the `id` of all matching accounts, staged included, from an index; null without such an
   * index.
   */
  readonly candidates: RawBuilder<unknown> | null
}

/** Excludes `search`; conditions on columns of the row come first. */
export function conditionsOf(filters: AccountFilters, now: number): Condition[] {
  const { role, state, second_factor, verified, imported, provider } = filters
  const lastLogin = lastLoginIs(filters)
  return [
    state === undefined ? null : stateIs(state, now),
    lastLogin && ofAccount(lastLogin),
    second_factor === undefined
      ? null
      : ofAccount(sql`second_factor = ${sql.lit(Number(second_factor))}`),
    imported === undefined ? null : importedIs(imported),
    verified === undefined
      ? null
      : ofAccount(verified ? sql`verified_email_key is not null` : sql`verified_email_key is null`),
    role === undefined
      ? null
      : {
          holds: sql<boolean>`exists (select 1 from role_assignments
            where role_assignments.account = accounts.user_id and role = ${role})`,
          candidates: sql`select account as id from role_assignments where role = ${role}`,
        },
    provider === undefined ? null : issuerIs(provider),
  ].filter((condition) => condition !== null)
}

/** The index range that contains all matches, if the sort order determines one. */
export function rangeOf(
  filters: AccountFilters,
  { key }: AccountOrder,
): RawBuilder<boolean> | null {
  return key === 'last_login_at' ? lastLoginIs(filters) : null
}

export function isFound(search: string, database: 'sqlite' | 'postgres'): RawBuilder<boolean> {
  const { username, other } = accountPattern(search)
  return sql<boolean>`(${matches('accounts.username', username, database)}
    or ${matches('users.name_key', other, database)}
    or ${matches('users.email_key', other, database)}
    or coalesce(${matches('accounts.verified_email_key', other, database)}, false))`
}

/** Candidates for a text of fewer than three characters; `limit` per column. */
export function beginnings(search: string, limit: number): RawBuilder<unknown> {
  const { username, other } = accountPattern(search)
  const some = (rows: RawBuilder<unknown>) =>
    sql`select id from (${rows} limit ${limit}) as beginning`
  return sql`
    ${some(ofAccounts(beginsWith('username', username.text)))}
    union ${some(ofAccounts(beginsWith('verified_email_key', other.text)))}
    union ${some(sql`select id from users where ${beginsWith('name_key', other.text)}`)}
    union ${some(sql`select id from users where ${beginsWith('email_key', other.text)}`)}`
}

function stateIs(state: AccountState, now: number): Condition {
  const isOpen = sql`(locked_until is null or locked_until <= ${now})`
  switch (state) {
    case 'active':
      return {
        holds: sql<boolean>`(locked = 0 and active = 1 and ${isOpen})`,
        candidates: ofAccounts(sql`locked = 0 and active = 1`),
      }
    case 'locked':
      return ofAccount(sql`locked = 1`)
    case 'disabled':
      return ofAccount(
        // The index begins with `locked`. A pending deletion keeps the flag in `active_kept`.
        sql`(locked in (0, 1) and active = 0 and (active_kept is null or active_kept = 0))`,
      )
    case 'deletion_pending':
      return ofAccount(sql`deletion_at is not null`)
    case 'locked_out':
      return {
        holds: sql<boolean>`locked_until > ${now}`,
        // Must equal the condition of the index accounts_failing.
        candidates: ofAccounts(
          sql`(failed_logins > 0 or locked_until is not null) and locked_until > ${now}`,
        ),
      }
    case 'must_change':
      return {
        holds: sql<boolean>`exists (select 1 from passwords
          where passwords.account = accounts.user_id and must_change = 1)`,
        candidates: sql`select account as id from passwords where must_change = 1`,
      }
  }
}

function issuerIs(issuer: string | null): Condition {
  const ofAccount = sql`select 1 from identities where identities.user_id = accounts.user_id`
  if (issuer === null) return { holds: sql<boolean>`not exists (${ofAccount})`, candidates: null }
  return {
    holds: sql<boolean>`exists (${ofAccount} and issuer = ${issuer})`,
    candidates: sql`select user_id as id from identities where issuer = ${issuer}`,
  }
}

function importedIs(imported: boolean): Condition {
  const ofImport = sql`accounts.import_id is not null`
  if (imported) return ofAccount(ofImport)
  return { holds: sql<boolean>`accounts.import_id is null`, candidates: null }
}

function lastLoginIs(filters: AccountFilters): RawBuilder<boolean> | null {
  const { last_login, last_login_after: after, last_login_before: before } = filters
  if (last_login) return sql<boolean>`last_login_at = 0`
  if (after === undefined && before === undefined) return null
  const isAfter = sql<boolean>`last_login_at > ${Math.max(after ?? 0, 0)}`
  if (before === undefined) return isAfter
  return sql<boolean>`(${isAfter} and last_login_at < ${before})`
}

function ofAccount(holds: RawBuilder<unknown>): Condition {
  return { holds: sql<boolean>`${holds}`, candidates: ofAccounts(holds) }
}

function ofAccounts(holds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select user_id as id from accounts where ${holds}`
}

/** Usernames have a different canonical form. */
export interface AccountPattern {
  readonly username: Pattern
  readonly other: Pattern
}

// The greatest code point, as the upper end of a prefix range in byte order.
const last = '\u{10ffff}'

export function accountPattern(search: string): AccountPattern {
  return {
    username: patternOf(caseFold(search.normalize('NFKD')).normalize('NFKC')),
    other: patternOf(caseFold(search)),
  }
}

/** A range, so that the index is used. */
export function beginsWith(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} >= ${text} and ${sql.ref(column)} < ${text + last})`
}

/** LIKE uses the trigram index of PostgreSQL. */
export function matches(
  column: string,
  { text, isBeginning }: Pattern,
  database: 'sqlite' | 'postgres',
): RawBuilder<boolean> {
  if (isBeginning) return beginsWith(column, text)
  if (database === 'sqlite') return sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`
  return sql<boolean>`${sql.ref(column)} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`
}
