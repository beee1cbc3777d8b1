import type { FastifyInstance } from 'fastify'
import { anyone } from '../../core/policy/rules.ts'

/**
 * GET /.well-known/change-password: where password managers send a person to change a password. It
 * redirects, as its standard asks, and other paths of /.well-known are not found, by which managers
 * see that this one means something. W3C, A Well-Known URL for Changing Passwords.
 */
export async function routes(app: FastifyInstance): Promise<void> {
  app.get(
    '/.well-known/change-password',
    { config: { access: { rule: anyone }, answers: { 303: {} } }, schema: { hide: true } },
    async (_request, reply) => reply.redirect('/account/password', 303),
  )
}
