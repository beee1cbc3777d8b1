import { counted, type Migration, notifier, notifying, rowCounts } from './statement.ts'

export const statements: Migration = [
  // autoincrement: ids are never reused
  `create table users (
    id integer primary key autoincrement,
    name text not null,
    email text not null,
    name_key text not null,
    email_key text not null
  ) strict`,
  'create index users_by_name on users (name_key, id)',
  'create index users_by_email on users (email_key, id)',

  rowCounts,
  counted('users'),
  notifier,
  // No inserts: new users are not cached.
  notifying('users', 'update', 'delete'),

  `create table accounts (
    user_id integer primary key references users (id) on delete cascade,
    username text not null unique,
    password_hash text not null,
    roles text not null,
    locked integer not null default 0 check (locked in (0, 1)),
    active integer not null default 1 check (active in (0, 1)),
    must_change integer not null default 0 check (must_change in (0, 1)),
    created_at integer not null
  ) strict`,
  `create index accounts_administrators on accounts (user_id)
    where roles like '%ADMIN%' and active = 1 and locked = 0`,

  // Per user: a new account of the user must not revalidate tokens of the previous account.
  `create table token_versions (
    user_id integer primary key references users (id) on delete cascade,
    access_version integer not null,
    refresh_version integer not null
  ) strict`,

  `create table sessions (
    id text primary key,
    user_id integer not null references accounts (user_id) on delete cascade,
    csrf_token text not null,
    created_at integer not null,
    last_seen_at integer not null,
    address text not null,
    user_agent text not null
  ) strict, without rowid`,
  'create index sessions_by_user on sessions (user_id)',
  'create index sessions_by_last_seen on sessions (last_seen_at)',

  `create table throttle_places (
    id integer primary key autoincrement,
    username text not null,
    address text not null,
    taken_at integer not null,
    pending integer not null check (pending in (0, 1))
  ) strict`,
  'create index throttle_places_by_key on throttle_places (username, address, taken_at)',
  'create index throttle_places_by_time on throttle_places (taken_at)',

  `create table keys (
    id text primary key,
    purpose text not null check (purpose in ('signing', 'data')),
    algorithm text not null,
    sealed text not null,
    created_at integer not null,
    retired_at integer
  ) strict, without rowid`,
  notifying('keys', 'insert', 'update', 'delete'),
]
