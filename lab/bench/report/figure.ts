/** What the report shows: made by the parts of the benchmark, kept in docs/benchmarks/figures.json. */
export interface Figure {
  /** Of its file, and of its part on the command line. */
  readonly name: string
  readonly title: string
  /** What is measured and how, in full sentences. */
  readonly about: string
  readonly unit: Unit
  readonly lines: readonly Line[]
  /** Values of different magnitudes: the picture has points on a logarithmic axis in place of bars. */
  readonly isLogarithmic?: boolean
  readonly curves?: Curves
  /** Why there are no figures. */
  readonly disturbed?: string
  /** What was measured: the abbreviated commit, with `+` for changes that are not committed. */
  readonly commit?: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** The plan, for instance `5 turns of 1.5 s`. */
  readonly turns: string
  /** Load average of the minute before. */
  readonly loadBefore: number
  /** The most of a core that other programs used in a turn that counts. */
  readonly others: number
}

export type Unit = 'requests/s' | 'ms' | 'kB' | 'MB' | 'requests per CPU second'

export interface Line {
  readonly what: string
  /** One a turn. */
  readonly values: readonly number[]
  /** If other than the figure's, only the table shows the line. */
  readonly unit?: Unit
  /** A program beside which the service is measured, or the work alone. */
  readonly isPeer?: boolean
  /** Processor time per request of the server's processes, one a turn. */
  readonly microseconds?: readonly number[]
  /** How many cores the server's processes used, one a turn. */
  readonly cores?: readonly number[]
  readonly comparisons?: readonly Comparison[]
  /** Instead of values: for instance `not installed`. */
  readonly missing?: string
}

/** A ratio of one line to another of the same turn, or the value itself, and the goal for it. */
export interface Comparison {
  /** Of what the ratio is; `itself` if the value is judged. */
  readonly to: string
  readonly values: readonly number[]
  readonly atLeast?: number
  readonly atMost?: number
  /** A name in ratchet.json, for ratios that do not depend on the machine. */
  readonly ratchet?: string
}

export interface Curves {
  readonly xTitle: string
  readonly yTitle: string
  readonly x: readonly number[]
  readonly series: readonly { readonly name: string; readonly y: readonly number[] }[]
}

/** The state of the machine at the start of the run. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly kernel: string
  readonly node: string
  readonly loadAverage: readonly number[]
  readonly fileSystem: string
  /** Of 4 kB each, one after the other. */
  readonly fsyncsPerSecond: number
  readonly versions: Readonly<Record<string, string>>
}

export interface Report {
  readonly machine: Machine
  readonly figures: readonly Figure[]
}

/** Whether a comparison meets its goal, judged by the median; undefined without a goal. */
export function meets({ values, atLeast, atMost }: Comparison): boolean | undefined {
  if (atLeast === undefined && atMost === undefined) return undefined
  const value = median(values)
  return (
    value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY)
  )
}

/** NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Three significant digits, thousands in groups; NaN is a dash. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}
