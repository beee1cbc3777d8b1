import { accountStates } from './account-states.ts'
import type { Migration } from './statement.ts'

/** Totals and job batches with a constant cost. */
export const statements: Migration = [
  accountStates,
  'drop index accounts_by_state',

  // A covering index for the count of live sessions.
  'drop index sessions_by_last_seen',
  'create index sessions_by_activity on sessions (last_seen_at, created_at)',
  'create index sessions_by_creation on sessions (created_at)',
  'create index refresh_families_ended_by_expiry on refresh_families_ended (expires_at)',
  // Anyone can begin thousands of sign-ins; only the latest are kept.
  'create index flows_by_purpose on flows (purpose, expires_at, id)',
]
