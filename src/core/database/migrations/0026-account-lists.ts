import type { Migration } from './statement.ts'

/** Filters, orders and search of the account list. docs/adr/0072 */
export const statements: Migration = [
  // 0 before the first login, so that one index orders all accounts.
  'alter table accounts add column last_login_at integer not null default 0',
  'create index accounts_by_last_login on accounts (last_login_at, user_id)',
  'create index accounts_by_creation on accounts (created_at, user_id)',
  'create index accounts_by_state on accounts (locked, active, user_id)',
  'create index accounts_by_factor on accounts (second_factor, user_id)',
  'create index passwords_due on passwords (account) where must_change = 1',

  // Null if confirmed before this migration.
  'alter table second_factors add column confirmed_at integer',

  {
    // Like the index of users in 0012.
    sqlite: [
      `create virtual table accounts_search using fts5 (
        text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
      )`,
      `insert into accounts_search (rowid, text)
        select user_id, ${searched('accounts')} from accounts order by user_id`,
      `create trigger accounts_searched_in after insert on accounts begin
        ${put('new')};
      end`,
      `create trigger accounts_searched_out after delete on accounts begin
        ${take('old')};
      end`,
      `create trigger accounts_searched_anew after update of username, verified_email_key on accounts
        when ${searched('old')} <> ${searched('new')} begin
        ${take('old')};
        ${put('new')};
      end`,
    ],
    postgres: [
      `do $$
        declare home text;
        begin
          select nspname into home from pg_opclass
            join pg_namespace on pg_namespace.oid = opcnamespace
            where opcname = 'gin_trgm_ops' limit 1;
          if home is not null then
            execute format('create index accounts_name_search on accounts
              using gin (username %I.gin_trgm_ops)', home);
            execute format('create index accounts_email_search on accounts
              using gin (verified_email_key %I.gin_trgm_ops)', home);
          end if;
        exception when insufficient_privilege then null;
        end $$`,
    ],
  },
]

/** Two marks before each value complete the trigrams of its first characters. */
function searched(row: string): string {
  return `char(2, 2) || ${row}.username || char(2, 2) || coalesce(${row}.verified_email_key, '')`
}

function put(row: string): string {
  return `insert into accounts_search (rowid, text) values (${row}.user_id, ${searched(row)})`
}

function take(row: string): string {
  return `insert into accounts_search (accounts_search, rowid, text)
          values ('delete', ${row}.user_id, ${searched(row)})`
}
