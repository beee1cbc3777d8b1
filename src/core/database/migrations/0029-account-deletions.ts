import type { Migration } from './statement.ts'

/**
 * The deletion of an account that its owner has asked for. While the account waits, `active` is 0, so
 * that a node of the version before refuses its logins too, and `active_kept` has the flag of the
 * administrators. docs/adr/0075
 */
export const statements: Migration = [
  'alter table accounts add column deletion_at integer',
  'alter table accounts add column active_kept integer',
  `create index accounts_by_deletion on accounts (deletion_at, user_id)
    where deletion_at is not null`,
]
