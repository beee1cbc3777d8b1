import type { Migration } from './statement.ts'

/** Values of the fields of PROFILE_FILE. */
export const statements: Migration = [
  `create table profile_values (
    user_id integer not null references accounts (user_id) on delete cascade,
    field text not null,
    value text not null,
    unique_key text,
    primary key (user_id, field)
  ) strict, without rowid`,
  'create unique index profile_values_by_key on profile_values (field, unique_key)',
]
