import type { Migration } from './statement.ts'

/**
 * Time series of statistics: a count for each series in each minute and each hour in which there was
 * something to count. All processes add to the same rows.
 */
export const statements: Migration = [
  `create table statistics_buckets (
    step integer not null,
    at integer not null,
    series text not null,
    count integer not null,
    primary key (step, at, series)
  ) strict, without rowid`,
]
