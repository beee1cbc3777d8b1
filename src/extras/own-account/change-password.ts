import type { FastifyInstance } from 'fastify'
import { anyone } from '../../core/policy/rules.ts'

/**
 * Redirects password managers. Other /.well-known paths return 404, which proves that this path is
 * supported. W3C, A Well-Known URL for Changing Passwords.
 */
export async function routes(app: FastifyInstance): Promise<void> {
  app.get(
    '/.well-known/change-password',
    { config: { access: { rule: anyone }, answers: { 303: {} } }, schema: { hide: true } },
    async (_request, reply) => reply.redirect('/account/password', 303),
  )
}
