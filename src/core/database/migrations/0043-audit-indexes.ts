import type { Migration } from './statement.ts'

const searched = ['actor_index', 'target_index', 'address_index', 'request_id']

const index = (column: string, where: string) =>
  `create index audit_records_by_${column} on audit_records (${column}, at, number) where ${where}`

/**
 * `indexed` is null while a record of SQLite waits for the batch that adds it to the search indexes;
 * `audit_records_waiting` finds such records. PostgreSQL and older versions index at once: 1.
 * docs/adr/0093
 */
export const statements: Migration = [
  'alter table audit_records add column indexed integer default 1',
  {
    sqlite: [
      ...['type', ...searched].map((column) => `drop index audit_records_by_${column}`),
      index('type', 'indexed = 1'),
      ...searched.map((column) => index(column, `${column} is not null and indexed = 1`)),
      'create index audit_records_waiting on audit_records (indexed) where indexed is null',
    ],
  },
]
