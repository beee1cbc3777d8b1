import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../errors.ts'
import type { JsonSchema, Static } from '../http/schemas.ts'
import type { Counted } from '../measurements/counters.ts'
import type { CountEvent } from '../measurements/event-counts.ts'
import type { Family } from '../measurements/family.ts'
import type { Measurements } from '../measurements/measurements.ts'
import type { Needs } from './services.ts'

/** What status, metrics, statistics and readiness show of a module: its file `monitoring.ts` exports it. */
export interface Monitoring {
  readonly status?: readonly StatusPart[]
  /** The names of its warnings of readiness. */
  readonly readinessWarnings?: readonly string[]
  /** Starts to count events and refusals, once in a process that serves. */
  readonly count?: (measurements: Measurements, on: Counting) => void
  /** The metrics of one process; the metrics of several workers are added up. Gauges carry the worker. */
  readonly processMetrics?: (needs: Needs, worker: string) => readonly Family[]
  /** Makes the reader of the metrics that one process reports for all nodes. */
  readonly serviceMetrics?: (needs: Needs) => (state: ServiceState) => Promise<readonly Family[]>
  readonly series?: readonly SeriesKind[]
  /** The series that statistics always show, by their keys such as `logins|password|success`. */
  readonly usualSeries?: readonly string[]
  /** The series that the overview watches for unusual values, by their keys. */
  readonly watchedSeries?: readonly string[]
}

/** A part of GET /api/admin/status. */
export interface StatusPart {
  readonly name: string
  readonly schema: JsonSchema
  readonly description?: string
  /** For the OpenAPI document. */
  readonly example: unknown
  /** Reads the part. If it throws, the part is null, and named as unknown. */
  readonly read: (needs: Needs) => Promise<unknown>
}

export interface Counting {
  readonly events: (names: readonly string[], count: CountEvent) => void
  readonly refusals: (take: (request: FastifyRequest, error: ApiError) => void) => void
}

export interface ServiceState {
  /**
   * Reads what shows whether the database serves; answers null if the database does not. A read that
   * fails shows that the database does not serve.
   */
  readonly fromDatabase: <T>(read: () => Promise<T>) => Promise<T | null>
}

/** A time series, or several that differ in the values of their labels. */
export interface SeriesKind {
  /** Never changed: the name is in the database and in addresses. */
  readonly name: string
  readonly labels: readonly string[]
  readonly description: string
  /** How often it has happened since the start of the process, by the values of the labels. */
  readonly counted: (measurements: Measurements) => readonly Counted[]
}

/** A part whose reading fits its schema. */
export function statusPart<const Schema extends JsonSchema>(
  part: Omit<StatusPart, 'read' | 'schema'> & {
    readonly schema: Schema
    readonly read: (needs: Needs) => Promise<Static<Schema>>
  },
): StatusPart {
  return part
}

/** The monitoring of a module, with the name of the module. */
export interface LoadedMonitoring extends Monitoring {
  readonly module: string
}

/** Imports the monitoring of all modules, in their order. */
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

/** Lets the modules count events and refusals from now on. */
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
