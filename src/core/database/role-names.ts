import { sql } from 'kysely'

/** Unsorted names joined by commas, or null. A subselect saves a second statement. */
export const roleNamesOfAccount = sql<string | null>`(select string_agg(role, ',')
  from role_assignments where role_assignments.account = accounts.user_id)`
