import { sql } from 'kysely'

/**
 * Selects the roles of an account in a query of `accounts`: unsorted names, joined by commas; null
 * without roles. As part of that query it needs no second statement.
 */
export const roleNamesOfAccount = sql<string | null>`(select string_agg(role, ',')
  from role_assignments where role_assignments.account = accounts.user_id)`
