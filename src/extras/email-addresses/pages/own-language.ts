import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import type { Needs } from '../../../core/module/services.ts'
import { accountForm, field, goOn, personOf } from '../../own-account/pages/own-page.ts'

export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  acceptForms(app)
  app.post('/account/language', accountForm('/account'), async (request, reply) => {
    const person = await personOf(deps, request)
    const language = field(request, 'language')
    await deps.emails.setLanguage(
      person.account,
      isLanguage(language) ? language : null,
      reauthorize(request),
    )
    return goOn(reply, person, '/account', 'language')
  })
}
