import type { Migration } from './statement.ts'

/**
 * What a key is for, and from when it signs. Version 0.2.0 writes neither column, and ignores both:
 * keys/store.ts says how it sees the rows.
 */
export const statements: Migration = [
  'alter table keys add column usage text',
  'alter table keys add column signs_from integer',
]
