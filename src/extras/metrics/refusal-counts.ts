import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { errorNameOf } from '../../core/http/declared-error.ts'
import { type Counted, Counters } from '../../core/measurements/counters.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import { errorsOf } from '../../core/module/registry.ts'

/** The refusals of a process, by the name of the error. */
export interface RefusalCounts {
  /** Takes a refusal; see `refusalListeners` of http/server/error-handler.ts. */
  take(request: FastifyRequest, error: ApiError): void
  entries(): readonly Counted[]
}

/**
 * Counts refusals from the answers. The name of the error tells no more than the answer did: a reader of
 * the metrics who sends logins must not learn from a true reason which accounts there are.
 */
export function createRefusalCounts(modules: readonly ModuleNames[]): RefusalCounts {
  const known = Object.entries(errorsOf(modules)).filter(([, { isUnlisted }]) => !isUnlisted)
  const errors = new Counters(known.map(([name]) => [name]))
  return {
    take: (_, { row }) => errors.add([errorNameOf(row)]),
    entries: () => errors.entries(),
  }
}
