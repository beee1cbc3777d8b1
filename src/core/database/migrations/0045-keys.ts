import type { Migration } from './statement.ts'

/** Service accounts, and keys for programs: digests alone. */
export const statements: Migration = [
  'alter table accounts add column service integer not null default 0',
  `create table api_keys (
    id text primary key,
    user_id integer not null references accounts (user_id) on delete cascade,
    digest text not null unique,
    kind text not null check (kind in ('key', 'app_password')),
    name text not null,
    scopes text not null,
    roles text not null,
    version integer not null default 1,
    created_by integer references users (id) on delete set null,
    created_at integer not null,
    expires_at integer not null,
    told_at integer,
    last_used_at integer
  ) strict, without rowid`,
  'create index api_keys_by_user on api_keys (user_id)',
  'create index api_keys_by_creator on api_keys (created_by)',
  'create index api_keys_by_end on api_keys (expires_at)',
]
