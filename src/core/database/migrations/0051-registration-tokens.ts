import type { Migration } from './statement.ts'

/** Initial access tokens of RFC 7591: digests alone. */
export const statements: Migration = [
  `create table registration_tokens (
    id text primary key,
    digest text not null unique,
    name text not null,
    scopes text not null,
    redirect_hosts text not null,
    remaining integer not null,
    created_at integer not null,
    expires_at integer not null
  ) strict, without rowid`,
  'create index registration_tokens_by_end on registration_tokens (expires_at)',
]
