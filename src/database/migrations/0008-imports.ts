/**
 * Imports. Their users and accounts are written beforehand, in small transactions, and are nobody's
 * to see until one statement says that the import is done.
 */
export const statements: readonly string[] = [
  `create table imports (
    id integer primary key autoincrement,
    state text not null check (state in ('open', 'done', 'failed')),
    lost integer not null default 0,
    seen_at integer not null
  ) strict`,
  // Of lines that made no account: those of a dry run, those behind a mistake, and those that lost
  // their name to somebody else.
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

  // Users of an import count once it is done; see the store of transfer/.
  'drop trigger users_counted_in',
  `create trigger users_counted_in after insert on users when new.import_id is null begin
    update row_counts set total = total + 1 where name = 'users';
  end`,
  'drop trigger users_counted_out',
  `create trigger users_counted_out after delete on users
    when not exists (select 1 from imports where id = old.import_id and state <> 'done')
  begin
    update row_counts set total = total - 1 where name = 'users';
  end`,
]
