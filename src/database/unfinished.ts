import { sql } from 'kysely'

/**
 * Users and accounts of an import that is not done are nobody's to see: each query that reads them
 * asks for this. It costs a look into a table that is empty nearly always.
 */
export const isPresentUser = sql<boolean>`not exists (
  select 1 from imports where imports.id = users.import_id and imports.state <> 'done')`

export const isPresentAccount = sql<boolean>`not exists (
  select 1 from imports where imports.id = accounts.import_id and imports.state <> 'done')`
