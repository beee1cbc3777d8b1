import type { Migration } from './statement.ts'

/** Proves that an erasure deleted a person's key. docs/adr/0078 */
export const statements: Migration = [
  // Closed keys of the removed records, or empty.
  "alter table audit_tombstones add column closed text not null default ''",
  // The last record before the migration, if any. A record attests the number.
  'create table audit_erasures_unlisted (through integer primary key) strict',
  `insert into audit_erasures_unlisted (through)
    select max(number) from audit_records having max(number) is not null`,
]
