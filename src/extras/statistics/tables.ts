import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'statistics_buckets',
    key: ['step', 'at', 'series'],
    namesNone: ['series'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    statistics_buckets: StatisticsBucketsTable
  }
}

/** How often something happened in a minute or an hour: see statistics/series.ts. */
interface StatisticsBucketsTable {
  /** The length of the bucket, in seconds: 60 or 3,600. */
  step: number
  /** Its beginning, in epoch milliseconds, a multiple of the step. */
  at: number
  /** The name of the series and the values of its labels, with `|` between them. */
  series: string
  count: number
}
