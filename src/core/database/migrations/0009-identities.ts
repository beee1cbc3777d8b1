import type { Migration } from './statement.ts'

/** Linked identities and pending flows. */
export const statements: Migration = [
  `create table identities (
    id integer primary key autoincrement,
    user_id integer not null references accounts (user_id) on delete cascade,
    issuer text not null,
    subject text not null,
    created_at integer not null,
    unique (issuer, subject)
  ) strict`,
  'create index identities_by_user on identities (user_id)',

  `create table flows (
    id text primary key,
    browser text not null,
    purpose text not null check (purpose in ('sign_in', 'link', 'second_factor')),
    provider text not null,
    user_id integer references accounts (user_id) on delete cascade,
    sealed text not null,
    return_to text not null,
    expires_at integer not null
  ) strict, without rowid`,
  'create index flows_by_expiry on flows (expires_at)',
  'create index flows_by_user on flows (user_id)',
]
