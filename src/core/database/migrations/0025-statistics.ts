import type { Migration } from './statement.ts'

/** Non-zero counts per series, minute and hour. Processes share the rows. */
export const statements: Migration = [
  `create table statistics_buckets (
    step integer not null,
    at integer not null,
    series text not null,
    count integer not null,
    primary key (step, at, series)
  ) strict, without rowid`,
]
