import type { Migration } from './statement.ts'

/** What proves that the key of a person was erased, and did not just go. docs/adr/0078 */
export const statements: Migration = [
  // Those lists of closed keys that the removed records held; empty: none.
  "alter table audit_tombstones add column closed text not null default ''",
  // The last record from before; no row if there was none. What it says is attested by a record.
  'create table audit_erasures_unlisted (through integer primary key) strict',
  `insert into audit_erasures_unlisted (through)
    select max(number) from audit_records having max(number) is not null`,
]
