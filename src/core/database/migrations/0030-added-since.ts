import type { Migration } from './statement.ts'

/**
 * Times that distinguish additions of a thief from the owner's: last password login, initial
 * identity, recovery codes. docs/adr/0074. The previous version does not write them.
 */
export const statements: Migration = [
  'alter table accounts add column last_password_login_at integer',
  'alter table identities add column made_account integer',
  'alter table recovery_codes add column created_at integer',
]
