/** A time that the plots show: what is read, and how wide the buckets of plots and tables are. */
export interface Range {
  readonly step: 'minute' | 'hour'
  /** All of these are in seconds. */
  readonly length: number
  readonly plotWidth: number
  readonly tableWidth: number
  readonly readEvery: number
}

const hour = 3600
const day = 24 * hour

export const ranges = {
  '3h': { step: 'minute', length: 3 * hour, plotWidth: 60, tableWidth: 600, readEvery: 20 },
  '24h': { step: 'minute', length: day, plotWidth: 600, tableWidth: hour, readEvery: 60 },
  '48h': { step: 'minute', length: 2 * day, plotWidth: 1200, tableWidth: 2 * hour, readEvery: 60 },
  '7d': { step: 'hour', length: 7 * day, plotWidth: hour, tableWidth: day, readEvery: 300 },
  '90d': { step: 'hour', length: 90 * day, plotWidth: 12 * hour, tableWidth: day, readEvery: 300 },
} as const satisfies Record<string, Range>

export type RangeName = keyof typeof ranges
export const rangeNames = Object.keys(ranges) as RangeName[] // of the object above

/** The range that the address names; without one, the last day, or less of a service that is new. */
export function rangeIn(text: string | undefined, isNew: boolean): RangeName {
  return rangeNames.find((name) => name === text) ?? (isNew ? '3h' : '24h')
}
