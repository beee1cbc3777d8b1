import type { Migration } from './statement.ts'

/** The ids that imported accounts have in the product from which they came. */
export const statements: Migration = [
  `create table imported_ids (
    source text not null,
    external_id text not null,
    user_id integer not null references accounts (user_id) on delete cascade,
    primary key (source, external_id)
  ) strict, without rowid`,
  'create index imported_ids_by_user on imported_ids (user_id)',
]
