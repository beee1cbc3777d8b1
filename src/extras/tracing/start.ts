import type { CreateTracing } from '../../core/runtime/tracing.ts'
import { tracedDialect } from './database.ts'
import { createTraces } from './traces.ts'

export const createTracing: CreateTracing = (config, deps) => {
  const traces = createTraces(config, deps)
  const system = config.database.postgres ? 'postgresql' : 'sqlite'
  return traces && { traces, observe: (dialect) => tracedDialect(dialect, system) }
}
