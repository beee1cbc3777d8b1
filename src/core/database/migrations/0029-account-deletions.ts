import type { Migration } from './statement.ts'

/**
 * Pending deletions. `active` is 0 meanwhile, so that nodes of the previous version reject logins
 * too; `active_kept` saves the administrators' flag. docs/adr/0075
 */
export const statements: Migration = [
  'alter table accounts add column deletion_at integer',
  'alter table accounts add column active_kept integer',
  `create index accounts_by_deletion on accounts (deletion_at, user_id)
    where deletion_at is not null`,
]
