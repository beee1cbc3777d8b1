import type { Migration } from './statement.ts'

/** When the login of a session proved its person, which may be before the session began. */
export const statements: Migration = [
  // Null: a session of the version before. 0: the provider did not say.
  'alter table sessions add column auth_time integer',
]
