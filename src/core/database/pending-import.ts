import { sql } from 'kysely'

/**
 * The condition of every query that reads users or accounts: it excludes staged rows, whose import
 * is not done. It reads a table that is almost always empty, and reads nothing for a row without an
 * import, which halves the time of a query over many rows.
 *
 * The import of a user whose deletion is pending has a negative id: PostgreSQL judges a row anew that another
 * transaction has changed meanwhile, but does not see the rows that it has inserted in other tables.
 */
export const isPresentUser = sql<boolean>`(users.import_id is null
  or users.import_id > 0 and not exists (
    select 1 from imports where imports.id = users.import_id and imports.state <> 'done'))`

export const isPresentAccount = sql<boolean>`(accounts.import_id is null or not exists (
  select 1 from imports where imports.id = accounts.import_id and imports.state <> 'done'))`

/** The same of a row that names an account in its column `account`, or a user in `user_id`. */
export const isOfPresentAccount = sql<boolean>`exists (
  select 1 from accounts where accounts.user_id = account and ${isPresentAccount})`

export const isOfPresentUser = sql<boolean>`exists (
  select 1 from users where users.id = user_id and ${isPresentUser})`

/** The conditions by name, because a manifest and a message to a thread hold only plain values. */
export const pendingImportConditions = {
  isPresentUser,
  isPresentAccount,
  isOfPresentAccount,
  isOfPresentUser,
}

export type PendingImportCondition = keyof typeof pendingImportConditions
