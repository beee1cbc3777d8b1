import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../kernel/errors.ts'
import { groups } from '../../policy/groups.ts'

/**
 * Unknown paths below a group, and the bare prefix: they ask for the group's role first and are 404
 * then, so that a stranger cannot tell which administration routes exist. Spec 4.3.
 */
export async function routeGroups(app: FastifyInstance): Promise<void> {
  for (const { prefix, rule } of groups) {
    const csrf = rule.kind === 'anyone' ? ({ csrf: 'exempt' } as const) : {} // nothing is done
    for (const url of [prefix, `${prefix}/*`]) {
      app.all(url, { config: { access: { rule }, ...csrf }, schema: { hide: true } }, async () => {
        throw new ApiError('routeNotFound')
      })
    }
  }
}
