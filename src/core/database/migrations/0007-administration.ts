import type { Migration } from './statement.ts'

/** Indexes for administrators: account state, failed logins. */
export const statements: Migration = [
  `create index accounts_by_state
    on accounts (roles, locked, active, must_change, second_factor)`,
  `create index accounts_failing on accounts (user_id)
    where failed_logins > 0 or locked_until is not null`,
]
