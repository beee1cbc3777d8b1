import type { Migration } from './statement.ts'

/** The authentication may be older than the session. */
export const statements: Migration = [
  // Null: created by the previous version. 0: unknown to the provider.
  'alter table sessions add column auth_time integer',
]
