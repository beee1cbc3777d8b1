import type { Counted } from './counters.ts'
import type { Histogram } from './histogram.ts'
import type { Measurements } from './measurements.ts'

/** One metric with all its series, in the form in which the client library takes it and JSON keeps it. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** How the values of several workers become one. */
  readonly aggregator: 'sum' | 'max'
  readonly values: readonly Sample[]
}

export interface Sample {
  readonly value: number
  readonly labels: Labels
  /** Of a series of a histogram. */
  readonly metricName?: string
}

export type Labels = Readonly<Record<string, string>>

interface Series {
  readonly value: number
  readonly labels?: Labels
}

/** A counter, whose values are summed over the workers. */
export function counter(name: string, help: string, values: readonly Series[]): Family {
  return { name, help, type: 'counter', aggregator: 'sum', values: values.map(sampleOf) }
}

/** A counter of one series. */
export function total(name: string, help: string, value: number): Family {
  return counter(name, help, [{ value }])
}

/** The events of a name. */
export function eventTotal(
  name: string,
  help: string,
  { events }: Pick<Measurements, 'events'>,
  event: string,
): Family {
  return total(name, help, events.of([event]))
}

/** A counter by label values, which were counted in this order. */
export function counted(
  name: string,
  help: string,
  labels: readonly string[],
  entries: readonly Counted[],
): Family {
  const series = entries.map(({ values, count }) => ({
    value: count,
    labels: Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ''])),
  }))
  return counter(name, help, series)
}

export function gauge(
  name: string,
  help: string,
  values: readonly Series[],
  aggregator: Family['aggregator'] = 'sum',
): Family {
  return { name, help, type: 'gauge', aggregator, values: values.map(sampleOf) }
}

export function histogram(
  name: string,
  help: string,
  all: readonly { readonly histogram: Histogram; readonly labels?: Labels }[],
): Family {
  const values = all.flatMap(({ histogram: { bounds, counts, sum }, labels = {} }) => {
    let below = 0
    const buckets = [...counts].map((count, index): Sample => {
      below += count
      const le = index < bounds.length ? String(bounds[index]) : '+Inf'
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: below },
    ]
  })
  return { name, help, type: 'histogram', aggregator: 'sum', values }
}

function sampleOf({ value, labels = {} }: Series): Sample {
  return { value, labels }
}
