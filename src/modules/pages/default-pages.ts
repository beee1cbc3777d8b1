import type { FastifyInstance } from 'fastify'
import { limitPageRequests } from '../../core/http/limits/page-requests.ts'
import { prefersPage } from '../../core/http/pages/negotiation.ts'
import { anyone } from '../../core/policy/rules.ts'

const signOut = '/signout' // shows who is signed in

/** Fallback redirects for default pages that no module provides. */
export async function routes(app: FastifyInstance): Promise<void> {
  const hasPage = (url: string) => app.hasRoute({ method: 'GET', url })
  const account = '/account'
  const hasAccount = hasPage(account)
  limitPageRequests(app, prefersPage)
  if (!hasPage('/')) leadOn('/', hasAccount ? account : signOut)
  if (!hasAccount) leadOn(account, signOut)
  if (!hasPage('/reset')) leadOn('/reset', '/signin')

  function leadOn(url: string, path: string): void {
    const config = { access: { rule: anyone }, answers: { 303: {} } }
    app.get(url, { config, schema: { hide: true } }, async (_, reply) => reply.redirect(path, 303))
  }
}
