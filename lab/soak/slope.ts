/** `at`: hours. */
export interface Point {
  readonly at: number
  readonly value: number
}

export interface Slope {
  /** What the value gains in an hour. */
  readonly perHour: number
  /** Half of the 95 % interval of `perHour`; infinite if the points are too few. */
  readonly noise: number
  readonly mean: number
  /** Means of the first and the last fifth of the points. */
  readonly start: number
  readonly end: number
  /** Between the first and the last point. */
  readonly hours: number
}

/**
 * Fits a line by least squares. Neighbouring samples of memory or rows resemble each other, so the
 * noise counts fewer samples than there are: n (1 - r) / (1 + r) by the lag-1 autocorrelation r of
 * the residuals (Santer et al. 2000, doi:10.1029/1999JD901105).
 */
export function slopeOf(points: readonly Point[]): Slope {
  const count = points.length
  const times = points.map(({ at }) => at)
  const values = points.map(({ value }) => value)
  const [time, mean] = [meanOf(times), meanOf(values)]
  const spread = sum(times, (at) => (at - time) ** 2)
  const perHour = spread === 0 ? 0 : sum(points, (p) => (p.at - time) * (p.value - mean)) / spread
  const residuals = points.map(({ at, value }) => value - mean - perHour * (at - time))
  const squares = sum(residuals, (each) => each ** 2)
  const alike = Math.max(0, autocorrelation(residuals, squares))
  const freedom = (count * (1 - alike)) / (1 + alike) - 2
  const isEnough = spread > 0 && freedom >= 2
  const fifth = Math.max(1, Math.floor(count / 5))
  return {
    perHour,
    noise: isEnough
      ? studentT(freedom) * Math.sqrt(squares / freedom / spread)
      : Number.POSITIVE_INFINITY,
    mean,
    start: meanOf(values.slice(0, fifth)),
    end: meanOf(values.slice(-fifth)),
    hours: count === 0 ? 0 : (times.at(-1) ?? 0) - (times[0] ?? 0),
  }
}

function autocorrelation(residuals: readonly number[], squares: number): number {
  if (squares === 0) return 0
  const products = residuals.slice(1).map((each, index) => each * (residuals[index] ?? 0))
  return sum(products, (each) => each) / squares
}

/** The 97.5 % quantile of Student's t by Abramowitz and Stegun 26.7.5; 3 % too low at two degrees. */
function studentT(freedom: number): number {
  return 1.96 + 2.372 / freedom + 2.823 / freedom ** 2 + 2.556 / freedom ** 3
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : sum(values, (each) => each) / values.length
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
