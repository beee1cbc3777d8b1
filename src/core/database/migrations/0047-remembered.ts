import type { Migration } from './statement.ts'

/** Remembered devices, and sessions that are kept when the browser closes. */
export const statements: Migration = [
  'alter table sessions add column kept integer not null default 0',
  `create table remembered_devices (
    device text primary key,
    user_id integer not null references accounts (user_id) on delete cascade,
    created_at integer not null,
    last_used_at integer not null,
    address text not null,
    user_agent text not null
  ) strict, without rowid`,
  'create index remembered_devices_by_user on remembered_devices (user_id, created_at)',
  'create index remembered_devices_by_age on remembered_devices (created_at)',
]
