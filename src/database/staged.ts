import { sql } from 'kysely'

/**
 * Users and accounts of an import that is not done are nobody's to see: each query that reads them
 * asks for this. It costs a look into a table that is empty nearly always, and nothing for who came by
 * no import: a query that passes over many rows takes half the time by that.
 */
export const isPresentUser = sql<boolean>`(users.import_id is null or not exists (
  select 1 from imports where imports.id = users.import_id and imports.state <> 'done'))`

export const isPresentAccount = sql<boolean>`(accounts.import_id is null or not exists (
  select 1 from imports where imports.id = accounts.import_id and imports.state <> 'done'))`

/** The same of a row that names an account in its column `account`, or a user in `user_id`. */
export const isOfPresentAccount = sql<boolean>`exists (
  select 1 from accounts where accounts.user_id = account and ${isPresentAccount})`

export const isOfPresentUser = sql<boolean>`exists (
  select 1 from users where users.id = user_id and ${isPresentUser})`
