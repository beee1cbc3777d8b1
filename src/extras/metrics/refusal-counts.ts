import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { errorNameOf } from '../../core/http/declared-error.ts'
import { type Counted, Counters } from '../../core/measurements/counters.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import { errorsOf } from '../../core/module/registry.ts'

/** By error name. */
export interface RefusalCounts {
  /** See `refusalListeners` of http/server/error-handler.ts. */
  take(request: FastifyRequest, error: ApiError): void
  entries(): readonly Counted[]
}

/**
 * Counts error names as sent: a reader of metrics who sends logins must not learn which accounts
 * exist.
 */
export function createRefusalCounts(modules: readonly ModuleNames[]): RefusalCounts {
  const known = Object.entries(errorsOf(modules)).filter(([, { isUnlisted }]) => !isUnlisted)
  const errors = new Counters(known.map(([name]) => [name]))
  return {
    take: (_, { row }) => errors.add([errorNameOf(row)]),
    entries: () => errors.entries(),
  }
}
