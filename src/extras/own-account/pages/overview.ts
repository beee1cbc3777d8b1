import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../../core/errors.ts'
import { isLanguage, languages } from '../../../core/lib/languages.ts'
import type { Needs } from '../../../core/module/services.ts'
import { accountPage, common, personOf, show } from './own-page.ts'

export async function overviewPages(app: FastifyInstance, deps: Needs): Promise<void> {
  const { providers, users, waysIn } = deps

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
      hasPassword: account.passwordHash !== null,
      waysIn: await waysIn(account.userId),
      since: account.createdAt,
      language: isLanguage(account.language) ? account.language : null,
      languages,
      hasProviders: providers.all.some((provider) => provider.config.client),
    })
  })
}
