import type { Dialect } from 'kysely'
import type { Config } from '../../core/config/load.ts'
import { tracedDialect } from './database.ts'
import { createTraces, type Traces, type TracesDeps } from './traces.ts'

/**
 * Creates the export of traces: what the service is told of it, and the wrapper of its database. Its
 * files are loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set; null without it.
 */
export function createTracing(
  config: Pick<Config, 'traces' | 'database'>,
  deps: Omit<TracesDeps, 'config'>,
): { readonly traces: Traces; readonly observe: (dialect: Dialect) => Dialect } | null {
  const traces = createTraces({ config, ...deps })
  const system = config.database.postgres ? 'postgresql' : 'sqlite'
  return traces && { traces, observe: (dialect) => tracedDialect(dialect, system) }
}
