/** A time series of counts, with its labels. */
export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly number[]
}

/** Counts in buckets: `times` are the beginnings, in seconds since 1970. */
export interface Buckets {
  readonly times: readonly number[]
  readonly series: readonly Series[]
}

/**
 * Adds up neighbouring buckets into wider ones of `width` seconds. They begin at the full hours and
 * days of the reader, who is `offset` seconds ahead of UTC.
 */
export function widened({ times, series }: Buckets, width: number, offset: number): Buckets {
  const starts = times.map((time) => Math.floor((time + offset) / width) * width - offset)
  const wide = [...new Set(starts)]
  const places = new Map(wide.map((start, place) => [start, place]))
  return {
    times: wide,
    series: series.map((one) => {
      const values = wide.map(() => 0)
      one.values.forEach((value, index) => {
        const place = places.get(starts[index] ?? 0) ?? 0
        values[place] = (values[place] ?? 0) + value
      })
      return { ...one, values }
    }),
  }
}

/** The series of a name, added up by one of their labels. */
export function byLabel(
  { series }: Buckets,
  name: string,
  { label, where = {} }: { readonly label: string; readonly where?: Series['labels'] },
): { readonly label: string; readonly values: number[] }[] {
  const wanted = Object.entries(where)
  const sums = new Map<string, number[]>()
  for (const one of series) {
    if (one.name !== name || wanted.some(([key, value]) => one.labels[key] !== value)) continue
    const key = one.labels[label] ?? name
    const sum = sums.get(key)
    sums.set(key, sum ? sum.map((value, at) => value + (one.values[at] ?? 0)) : [...one.values])
  }
  return [...sums].map(([key, values]) => ({ label: key, values }))
}

/** The lines, and where there are too many the largest, and one of all others. */
export function largest<Line extends { readonly label: string; readonly values: number[] }>(
  lines: readonly Line[],
  count: number,
  others: string,
): readonly { readonly label: string; readonly values: number[] }[] {
  if (lines.length <= count) return lines
  const sorted = lines.toSorted((one, other) => sum(other.values) - sum(one.values))
  const rest = sorted.slice(count - 1)
  const values = (rest[0]?.values ?? []).map((_, at) =>
    rest.reduce((total, line) => total + (line.values[at] ?? 0), 0),
  )
  return [...sorted.slice(0, count - 1), { label: others, values }]
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** How many in all, of a name and of certain labels. */
export function totalOf(buckets: Buckets, name: string, where: Series['labels'] = {}): number {
  const [all] = byLabel(buckets, name, { label: '', where })
  return sum(all?.values ?? [])
}
