import { type Migration, stagedUncounted } from './statement.ts'

/** Users and accounts are staged in small transactions, invisible until the import is `done`. */
export const statements: Migration = [
  `create table imports (
    id integer primary key autoincrement,
    state text not null check (state in ('open', 'done', 'failed')),
    lost integer not null default 0,
    seen_at integer not null
  ) strict`,
  // Names without an account: dry runs, lines after an error, and names taken by other requests.
  `create table import_names (
    import_id integer not null references imports (id),
    username text not null,
    line integer not null,
    user_id integer,
    primary key (import_id, username)
  ) strict, without rowid`,
  'create index import_names_by_user on import_names (import_id, user_id) where user_id is not null',

  'alter table users add column import_id integer',
  'create index users_by_import on users (import_id, id) where import_id is not null',
  'alter table accounts add column import_id integer',
  'alter table accounts add column import_line integer',
  'create index accounts_by_import on accounts (import_id, user_id) where import_id is not null',

  stagedUncounted,
]
