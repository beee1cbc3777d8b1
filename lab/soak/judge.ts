import type { Sample, Series } from './measures.ts'
import type { Slope } from './slope.ts'

/** How much a value may gain during what was measured, by the line: the larger of the two. */
export interface Allowance {
  /** Of the mean. */
  readonly share: number
  readonly least: number
}

export interface Verdict {
  readonly text: string
  readonly isGood: boolean
}

/** The part of a series after its first `warmUp`, a share of its time. */
export function warm(points: Series['points'], warmUp: number): Series['points'] {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
  return points.filter(({ at }) => at >= first + (last - first) * warmUp)
}

/** The start of a process, a full cache or a single batch would look like growth in less. */
const leastHours = 0.1
const [tooShort, tooFew] = ['too short', 'too few samples']

/**
 * A value grows if its slope is more than its noise, and the gain during the run is more than the
 * allowance: in a long run a small slope is more than noise, and in a short one a gain may be noise.
 */
export function judgeSlope(slope: Slope, { share, least }: Allowance): Verdict {
  const { perHour, noise, mean, hours } = slope
  if (hours < leastHours) return { text: tooShort, isGood: true }
  if (!Number.isFinite(noise)) return { text: tooFew, isGood: true }
  if (Math.abs(perHour) <= noise) return { text: '0 within noise', isGood: true }
  if (perHour < 0) return { text: 'falls', isGood: true }
  const isAllowed = perHour * hours <= Math.max(least, share * Math.abs(mean))
  return { text: isAllowed ? 'grows within the allowance' : 'GROWS', isGood: isAllowed }
}

/**
 * Judges the memory of a process before and after its restart: a leak grows in both. In one of them
 * alone, a full cache or a late garbage collection looks like a leak.
 */
export function judgeLives(lives: readonly Verdict[]): Verdict {
  const isSteady = ({ text, isGood }: Verdict) => isGood && text !== tooShort && text !== tooFew
  const [first = { text: tooFew, isGood: true }] = lives
  return lives.find(isSteady) ?? lives.find(({ isGood }) => !isGood) ?? first
}

export interface RowRates {
  /** Rows added for 1,000 requests, in the first and the second half. */
  readonly first: number
  readonly second: number
  readonly verdict: Verdict
}

const rateAllowance: Allowance = { share: 0.25, least: 2 }
/** Of a half: people have done everything several times. */
const leastRequests = 3000

/** Judges a table that must grow: its rows for each request are constant, or become fewer. */
export function judgeRate(samples: readonly Sample[], table: string): RowRates {
  const rateOf = (from: Sample | undefined, to: Sample | undefined) => {
    const requests = (to?.requests ?? 0) - (from?.requests ?? 0)
    const rows = (to?.rows.get(table) ?? 0) - (from?.rows.get(table) ?? 0)
    return requests === 0 ? 0 : (rows * 1000) / requests
  }
  const middle = samples[Math.floor(samples.length / 2)]
  const [first, second] = [rateOf(samples[0], middle), rateOf(middle, samples.at(-1))]
  const requests = (samples.at(-1)?.requests ?? 0) - (samples[0]?.requests ?? 0)
  if (requests < 2 * leastRequests) {
    return { first, second, verdict: { text: 'too few requests', isGood: true } }
  }
  const most = first + Math.max(rateAllowance.least, rateAllowance.share * first)
  const isGood = second <= most
  const text = !isGood ? 'RISES' : second < first / 1.25 ? 'falls' : 'constant'
  return { first, second, verdict: { text, isGood } }
}

/** A line of the table. */
export function line(name: string, columns: readonly string[], verdict: string): string {
  const [start = '', end = '', change = ''] = columns
  const figures = `${start.padStart(10)}${end.padStart(10)}${change.padStart(20)}`
  return `  ${name.padEnd(38)}${figures}  ${verdict}`.trimEnd()
}

export function shown(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
}
