import { sql } from 'kysely'

/**
 * Required in every query of users or accounts: excludes staged rows. Rows without an import need
 * no lookup, which halves the time of large queries.
 *
 * Pending deletions use a negative import id: PostgreSQL rechecks a concurrently changed row, but
 * does not see concurrent inserts in other tables.
 */
export const isPresentUser = sql<boolean>`(users.import_id is null
  or users.import_id > 0 and not exists (
    select 1 from imports where imports.id = users.import_id and imports.state <> 'done'))`

export const isPresentAccount = sql<boolean>`(accounts.import_id is null or not exists (
  select 1 from imports where imports.id = accounts.import_id and imports.state <> 'done'))`

/** For rows that refer to an account by `account` or `user_id`. */
export const isOfPresentAccount = sql<boolean>`exists (
  select 1 from accounts where accounts.user_id = account and ${isPresentAccount})`

export const isOfPresentUser = sql<boolean>`exists (
  select 1 from users where users.id = user_id and ${isPresentUser})`

/** By name, because manifests and thread messages contain only plain values. */
export const pendingImportConditions = {
  isPresentUser,
  isPresentAccount,
  isOfPresentAccount,
  isOfPresentUser,
}

export type PendingImportCondition = keyof typeof pendingImportConditions
