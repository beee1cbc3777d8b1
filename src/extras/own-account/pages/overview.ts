import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../../core/errors.ts'
import { isLanguage, languages } from '../../../core/lib/languages.ts'
import type { Providers } from '../../../modules/federation/providers.ts'
import type { Users } from '../../../modules/users/users.ts'
import { accountPage, common, type PersonDeps, personOf, show } from './own-page.ts'

export interface OverviewDeps extends PersonDeps {
  readonly providers: Providers
  readonly users: Pick<Users, 'byId'>
}

/** /account: who the person is here, and the ways on. */
export async function overviewPages(app: FastifyInstance, deps: OverviewDeps): Promise<void> {
  const { providers, users } = deps

  app.get('/account', accountPage('/account'), async (request, reply) => {
    const person = await personOf(deps, request)
    const { account } = person
    const user = await users.byId(account.userId)
    if (!user) {
      const reason = { code: 'no_own_user', facts: { user_id: account.userId } } as const
      throw new ApiError('accountNotFound', { reason })
    }
    return show(reply, request, person, 'account', {
      ...common(request, person),
      username: account.username,
      name: user.name,
      contact: user.email,
      email: account.email,
      secondFactor: account.secondFactor,
      since: account.createdAt,
      language: isLanguage(account.language) ? account.language : null,
      languages,
      hasProviders: providers.all.some(({ config }) => config.client),
    })
  })
}
