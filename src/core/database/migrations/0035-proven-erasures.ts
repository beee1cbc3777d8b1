import type { Migration } from './statement.ts'

/** The proof that an erasure has deleted the key of a person. docs/adr/0078 */
export const statements: Migration = [
  // The lists of closed keys of the removed records; empty if there are none.
  "alter table audit_tombstones add column closed text not null default ''",
  // The last record before the migration; no row if there was none. A record attests the number.
  'create table audit_erasures_unlisted (through integer primary key) strict',
  `insert into audit_erasures_unlisted (through)
    select max(number) from audit_records having max(number) is not null`,
]
