import type { Migration } from './statement.ts'

/**
 * Times that distinguish what a thief has added from what the owner had before: the last login with the
 * password, the identity that an account was created with, and the time of recovery codes.
 * docs/adr/0074. A node of the previous version writes none of them.
 */
export const statements: Migration = [
  'alter table accounts add column last_password_login_at integer',
  'alter table identities add column made_account integer',
  'alter table recovery_codes add column created_at integer',
]
