import type { Migration } from './statement.ts'

/** Who has given an application access, and whose app passwords a restore has ended. */
export const statements: Migration = [
  'create index provider_consents_by_client on provider_consents (client, user_id)',
  // Grants alone: an index of all tokens would cost each of them a write.
  `create index provider_grants_by_client on provider_artifacts (client, user_id)
    where kind = 'Grant'`,

  `create table app_passwords_ended (
    user_id integer primary key references accounts (user_id) on delete cascade,
    at integer not null
  ) strict, without rowid`,
  'create index app_passwords_ended_by_time on app_passwords_ended (at)',
]
