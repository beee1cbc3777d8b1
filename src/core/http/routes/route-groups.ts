import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'
import { groups } from '../../policy/groups.ts'

/**
 * Registers the prefix of each group, and the unknown paths below it. They require the group's role
 * before they answer 404, so that an unauthorized caller cannot tell which routes exist. Spec 4.3.
 */
export async function routes(app: FastifyInstance): Promise<void> {
  for (const { prefix, rule } of groups) {
    const csrf = rule.kind === 'anyone' ? ({ csrf: 'exempt' } as const) : {} // nothing is done
    for (const url of [prefix, `${prefix}/*`]) {
      app.all(url, { config: { access: { rule }, ...csrf }, schema: { hide: true } }, async () => {
        throw new ApiError('routeNotFound', { reason: { code: 'unknown_route_of_group' } })
      })
    }
  }
}
