import type { Migration } from './statement.ts'

/** What applications received from the provider, and what people let them have. */
export const statements: Migration = [
  `create table provider_artifacts (
    id text primary key,
    kind text not null,
    client text not null,
    user_id integer references accounts (user_id) on delete cascade,
    session_id text references sessions (id) on delete cascade,
    grant_id text,
    uid text,
    address text not null,
    sealed text not null,
    consumed_at integer,
    expires_at integer not null
  ) strict, without rowid`,
  'create index provider_artifacts_by_user on provider_artifacts (user_id, client)',
  'create index provider_artifacts_by_session on provider_artifacts (session_id)',
  'create index provider_artifacts_by_grant on provider_artifacts (grant_id)',
  'create index provider_artifacts_by_uid on provider_artifacts (uid)',
  'create index provider_artifacts_by_end on provider_artifacts (expires_at)',
  'create index provider_artifacts_by_address on provider_artifacts (address, kind, expires_at)',

  `create table provider_consents (
    user_id integer not null references accounts (user_id) on delete cascade,
    client text not null,
    scopes text not null,
    given_at integer not null,
    primary key (user_id, client)
  ) strict, without rowid`,

  // Without foreign keys: a row outlives its session, until the application knows.
  `create table provider_logins (
    sid text primary key,
    client text not null,
    session_id text not null,
    attempts integer not null,
    due_at integer,
    locked_by text,
    created_at integer not null
  ) strict, without rowid`,
  'create index provider_logins_by_time on provider_logins (due_at)',
]
