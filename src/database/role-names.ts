import { sql } from 'kysely'

/**
 * The roles of an account in a query of `accounts`: their names in no order, joined by commas; null where
 * it has none. In the query itself, so that no reader of an account needs a statement more.
 */
export const roleNamesOfAccount = sql<string | null>`(select string_agg(role, ',')
  from role_assignments where role_assignments.account = accounts.user_id)`
