/** Bucket bounds in seconds. */
export const bounds = {
  request: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  statement: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5],
  job: [0.001, 0.01, 0.1, 1, 10, 60],
} as const

/** Costs a tenth of the client library's, without label lookups: docs/adr/0054. */
export class Histogram {
  readonly bounds: readonly number[]
  /** Not cumulative; the last is beyond all bounds. */
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

  /** `beganAt` is from `performance.now()`. */
  observeSince(beganAt: number): void {
    this.observe((performance.now() - beganAt) / 1000)
  }
}
