import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../errors.ts'
import type { JsonSchema, Static } from '../http/schemas.ts'
import type { Counted } from '../measurements/counters.ts'
import type { CountEvent } from '../measurements/event-counts.ts'
import type { Family } from '../measurements/family.ts'
import type { Measurements } from '../measurements/measurements.ts'
import type { Needs } from './services.ts'

/** Exported by `monitoring.ts` of a module. */
export interface Monitoring {
  readonly status?: readonly StatusPart[]
  readonly readinessWarnings?: readonly string[]
  /** Called once, in a process that serves. */
  readonly count?: (measurements: Measurements, on: Counting) => void
  /** Summed over workers; gauges carry a worker label. */
  readonly processMetrics?: (needs: Needs, worker: string) => readonly Family[]
  /** For metrics that one process reports for all nodes. */
  readonly serviceMetrics?: (needs: Needs) => (state: ServiceState) => Promise<readonly Family[]>
  readonly series?: readonly SeriesKind[]
  /** Always shown, for example `logins|password|success`. */
  readonly usualSeries?: readonly string[]
  /** The overview watches these series for unusual values. */
  readonly watchedSeries?: readonly string[]
}

export interface StatusPart {
  readonly name: string
  readonly schema: JsonSchema
  readonly description?: string
  readonly example: unknown
  /** An error makes the part null, reported as unknown. */
  readonly read: (needs: Needs) => Promise<unknown>
}

export interface Counting {
  readonly events: (names: readonly string[], count: CountEvent) => void
  readonly refusals: (take: (request: FastifyRequest, error: ApiError) => void) => void
}

export interface ServiceState {
  /** Returns null if the database does not serve. A failed read marks the database as down. */
  readonly fromDatabase: <T>(read: () => Promise<T>) => Promise<T | null>
}

/** One series per combination of label values. */
export interface SeriesKind {
  /** Permanent: stored in the database and used in URLs. */
  readonly name: string
  readonly labels: readonly string[]
  readonly description: string
  /** Counts since the start of the process, by label values. */
  readonly counted: (measurements: Measurements) => readonly Counted[]
}

/** Ties the type of `read` to the schema. */
export function statusPart<const Schema extends JsonSchema>(
  part: Omit<StatusPart, 'read' | 'schema'> & {
    readonly schema: Schema
    readonly read: (needs: Needs) => Promise<Static<Schema>>
  },
): StatusPart {
  return part
}

export interface LoadedMonitoring extends Monitoring {
  readonly module: string
}

export async function loadMonitoring(
  modules: readonly {
    readonly name: string
    readonly monitoring?: () => Promise<{ readonly monitoring: Monitoring }>
  }[],
): Promise<readonly LoadedMonitoring[]> {
  return Promise.all(
    modules.map(async ({ name, monitoring }) => ({
      ...(await monitoring?.())?.monitoring,
      module: name,
    })),
  )
}

export function startCounting(
  monitoring: readonly Monitoring[],
  measurements: Measurements,
  refusalListeners: ((request: FastifyRequest, error: ApiError) => void)[],
): void {
  const { countsOfEvents } = measurements
  for (const { count } of monitoring) {
    count?.(measurements, {
      events(names, counts) {
        for (const name of names) {
          countsOfEvents.set(name, [...(countsOfEvents.get(name) ?? []), counts])
        }
      },
      refusals: (take) => void refusalListeners.push(take),
    })
  }
}
