import { accountStates } from './account-states.ts'
import type { Migration } from './statement.ts'

/** What makes totals cost the same at any number of accounts, and a step of each job at any of rows. */
export const statements: Migration = [
  accountStates,
  'drop index accounts_by_state',

  // Live sessions are counted from an index alone.
  'drop index sessions_by_last_seen',
  'create index sessions_by_activity on sessions (last_seen_at, created_at)',
  'create index sessions_by_creation on sessions (created_at)',
  'create index refresh_families_ended_by_expiry on refresh_families_ended (expires_at)',
  // Of the sign-ins, which anybody can begin by the thousand, all but the latest are removed.
  'create index flows_by_purpose on flows (purpose, expires_at, id)',
]
