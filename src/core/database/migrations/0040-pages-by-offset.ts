import type { Migration } from './statement.ts'

const triggers = [
  ...['in', 'out', 'anew'].map((way) => ['users', way] as const),
  ...['in', 'out'].flatMap((way) => [['posts', way] as const, ['accounts', way] as const]),
]

/**
 * Clears `list_blocks`. The empty tables stay: nodes of 0.12.0 then read pages by offset.
 * docs/adr/0085
 */
export const statements: Migration = [
  {
    sqlite: triggers.map(([table, way]) => `drop trigger ${table}_listed_${way}`),
    postgres: [
      // The lock name `lists` of 0.12.0: waits for running splits of these nodes.
      'select pg_advisory_xact_lock(-1283842722782040824)',
      ...triggers.flatMap(([table, way]) => [
        `drop trigger ${table}_listed_${way} on ${table}`,
        `drop function list_${table}_${way}()`,
      ]),
    ],
  },
  'delete from list_changes',
  'delete from list_blocks',
]
