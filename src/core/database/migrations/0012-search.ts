import type { Migration } from './statement.ts'

/** The trigram index, for searches by a part of a name or e-mail. */
export const statements: Migration = [
  {
    // Filled by triggers. `detail = none` omits positions to save space; searches compare the users
    // that they find.
    sqlite: [
      `create virtual table users_search using fts5 (
        text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
      )`,
      `insert into users_search (rowid, text) select id, ${searched('users')} from users order by id`,
      `create trigger users_searched_in after insert on users begin
        ${put('new')};
      end`,
      `create trigger users_searched_out after delete on users begin
        ${take('old')};
      end`,
      `create trigger users_searched_anew after update of name_key, email_key on users
        when old.name_key <> new.name_key or old.email_key <> new.email_key begin
        ${take('old')};
        ${put('new')};
      end`,
    ],
    // The role may lack the permission to create the extension. Searches work without the index,
    // which an operator can create later.
    postgres: [
      `do $$
        declare home text;
        begin
          begin
            create extension if not exists pg_trgm;
          exception when others then null;
          end;
          select nspname into home from pg_opclass
            join pg_namespace on pg_namespace.oid = opcnamespace
            where opcname = 'gin_trgm_ops' limit 1;
          if home is not null then
            execute format('create index users_name_search on users
              using gin (name_key %I.gin_trgm_ops)', home);
            execute format('create index users_email_search on users
              using gin (email_key %I.gin_trgm_ops)', home);
          end if;
        exception when insufficient_privilege then null;
        end $$`,
    ],
  },
]

/** Two marks before each value complete the trigrams of its first characters. */
function searched(row: string): string {
  return `char(2, 2) || ${row}.name_key || char(2, 2) || ${row}.email_key`
}

function put(row: string): string {
  return `insert into users_search (rowid, text) values (${row}.id, ${searched(row)})`
}

function take(row: string): string {
  return `insert into users_search (users_search, rowid, text)
          values ('delete', ${row}.id, ${searched(row)})`
}
