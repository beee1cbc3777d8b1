import type { Migration } from './statement.ts'

export const statements: Migration = [
  'alter table accounts add column second_factor integer not null default 0 check (second_factor in (0, 1))',
  `create table second_factors (
    user_id integer primary key references accounts (user_id) on delete cascade,
    sealed text,
    pending text,
    last_step integer not null
  ) strict`,
  `create table recovery_codes (
    user_id integer not null references second_factors (user_id) on delete cascade,
    code text not null,
    primary key (user_id, code)
  ) strict, without rowid`,
]
