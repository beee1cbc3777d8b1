import type { Side, Storage } from './side.ts'
import type { Point } from './slope.ts'
import { meanOf, quantile } from './slope.ts'
import type { Traffic } from './traffic.ts'

export interface Sample {
  /** Hours since the start. */
  readonly at: number
  /** Answered so far. */
  readonly requests: number
  readonly processes: ReturnType<Side['processes']>
  readonly rows: ReadonlyMap<string, number>
  readonly storage: Storage
}

/** A value over time. */
export interface Series {
  readonly name: string
  readonly points: readonly Point[]
}

export interface Measures {
  readonly samples: readonly Sample[]
  /** Of p50 and p99 by kind of request, in milliseconds. */
  latencies(): Series[]
  sample(): Promise<void>
  /** Ends a window of the latencies. */
  endWindow(): void
}

/** A p99 of fewer answers would be the slowest of them. */
const leastAnswers = 20

export function createMeasures(side: Side, traffic: Traffic): Measures {
  const startedAt = performance.now()
  const hours = () => (performance.now() - startedAt) / 3_600_000
  const samples: Sample[] = []
  const latencies = new Map<string, Point[]>()
  const add = (name: string, value: number) => {
    const points = latencies.get(name) ?? []
    latencies.set(name, points)
    points.push({ at: hours(), value })
  }
  return {
    samples,
    latencies: () => [...latencies].map(([name, points]) => ({ name, points })).toSorted(byName),
    async sample() {
      const [at, requests, processes] = [hours(), traffic.requests(), side.processes()]
      const [rows, storage] = [await side.rows(), await side.storage()]
      samples.push({ at, requests, processes, rows, storage })
    },
    endWindow() {
      for (const [kind, milliseconds] of traffic.takeLatencies()) {
        if (milliseconds.length < leastAnswers) continue
        add(`${kind}, p50`, quantile(milliseconds, 0.5))
        add(`${kind}, p99`, quantile(milliseconds, 0.99))
      }
    },
  }
}

/** One for each start of each process: a restart begins another one. */
export function processSeries(
  samples: readonly Sample[],
  of: 'residentMb' | 'descriptors',
): Series[] {
  const series = new Map<string, Point[]>()
  for (const { at, processes } of samples) {
    for (const { name, [of]: value } of processes) {
      const points = series.get(name) ?? []
      series.set(name, points)
      points.push({ at, value })
    }
  }
  return [...series].map(([name, points]) => ({ name, points })).toSorted(byName)
}

/** Milliseconds of processor time of the service for a request, between two samples each. */
export function costSeries(samples: readonly Sample[]): Series {
  const points = samples.slice(1).flatMap((sample, index): Point[] => {
    const before = samples[index]
    const requests = sample.requests - (before?.requests ?? 0)
    if (!before || requests === 0) return []
    const spent = sample.processes.map(({ pid, cpuMs }) => {
      const earlier = before.processes.find((each) => each.pid === pid)
      return cpuMs - (earlier?.cpuMs ?? Number.NaN)
    })
    const value = meanOf(spent) * (spent.length / requests)
    return Number.isNaN(value) ? [] : [{ at: sample.at, value }]
  })
  return { name: 'processor time, ms a request', points }
}

export function storageSeries(samples: readonly Sample[]): Series {
  const points = samples.map(({ at, storage: { value } }) => ({ at, value }))
  return { name: samples[0]?.storage.name ?? '', points }
}

export function rowSeries(samples: readonly Sample[]): Series[] {
  const names = [...(samples.at(-1)?.rows.keys() ?? [])]
  return names
    .map((name) => ({
      name,
      points: samples.map(({ at, rows }) => ({ at, value: rows.get(name) ?? 0 })),
    }))
    .toSorted(byName)
}

function byName({ name }: Series, other: Series): number {
  return name.localeCompare(other.name)
}
