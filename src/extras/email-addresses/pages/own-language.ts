import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import {
  accountForm,
  field,
  goOn,
  type PersonDeps,
  personOf,
} from '../../own-account/pages/own-page.ts'
import type { Emails } from '../emails.ts'

export interface LanguageFormDeps extends PersonDeps {
  readonly emails: Pick<Emails, 'setLanguage'>
}

/** POST /account/language: the language of pages and mail, a form of /account. */
export async function languageForm(app: FastifyInstance, deps: LanguageFormDeps): Promise<void> {
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
