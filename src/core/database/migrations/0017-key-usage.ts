import type { Migration } from './statement.ts'

/** The purpose and start of a key. Version 0.2.0 ignores both: see keys/store.ts. */
export const statements: Migration = [
  'alter table keys add column usage text',
  'alter table keys add column signs_from integer',
]
