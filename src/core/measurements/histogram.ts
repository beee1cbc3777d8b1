/** Upper bounds of the buckets of durations, in seconds. */
export const bounds = {
  /** Of a request, or of other work that a caller waits for. */
  request: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  /** Of a statement of the database. */
  statement: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5],
  /** Of work beside the requests. */
  job: [0.001, 0.01, 0.1, 1, 10, 60],
} as const

/**
 * Counts durations in buckets. An observation costs less than a tenth of what the histogram of the
 * client library takes, because it looks up no labels: docs/adr/0054.
 */
export class Histogram {
  readonly bounds: readonly number[]
  /** How many were in each bucket and in none before it; the last is beyond all bounds. */
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(seconds: number): void {
    const { bounds, counts } = this
    let index = 0
    while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1
    counts[index] = (counts[index] ?? 0) + 1
    this.sum += seconds
  }

  /** Observes the time since a value of `performance.now()`. */
  observeSince(beganAt: number): void {
    this.observe((performance.now() - beganAt) / 1000)
  }
}
