import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'
import { groups } from '../../policy/groups.ts'

/**
 * Unknown paths require the group's role before the 404, so that routes cannot be enumerated. Spec
 * 4.3.
 */
export async function routes(app: FastifyInstance): Promise<void> {
  for (const { prefix, rule } of groups) {
    const csrf = rule.kind === 'anyone' ? ({ csrf: 'exempt' } as const) : {} // no effect
    for (const url of [prefix, `${prefix}/*`]) {
      app.all(url, { config: { access: { rule }, ...csrf }, schema: { hide: true } }, async () => {
        throw new ApiError('routeNotFound', { reason: { code: 'unknown_route_of_group' } })
      })
    }
  }
}
