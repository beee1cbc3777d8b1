import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { limitPageRequests } from '../../core/http/limits/page-requests.ts'
import { warningOfPages } from '../../core/http/pages/built.ts'
import { keepChosenLanguage } from '../../core/http/pages/language.ts'
import { prefersPage } from '../../core/http/pages/negotiation.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import type { App } from '../../core/http/schemas.ts'
import { isLanguage } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { parseReturnTo } from '../flows/return-to.ts'

const LanguageForm = {
  type: 'object',
  properties: {
    language: {
      type: 'string',
      description: 'Of those that the pages offer; any other changes nothing',
    },
    return_to: { type: 'string', description: 'A path of this service; any other is `/`' },
  },
} as const

// The address may contain a flow with the longest return address.
const maxFlowLength = 12_288

/** POST /language: the form at the foot of each page. */
export async function languageRoutes(app: App): Promise<void> {
  acceptForms(app)
  app.post(
    '/language',
    {
      config: {
        access: { rule: anyone },
        csrf: 'foreignPage',
        body: 'form',
        errorPage: (error, request) => refusalPage(error, request, null),
        answers: { 303: {} },
        responseHeaders: ['set-cookie'],
      },
      schema: { hide: true, body: LanguageForm },
    },
    async ({ body: { language, return_to } }, reply) => {
      if (isLanguage(language)) keepChosenLanguage(reply, language)
      return reply.redirect(parseReturnTo(return_to, { maxLength: maxFlowLength }), 303)
    },
  )
}

export async function routes(app: FastifyInstance, { workers }: Needs): Promise<void> {
  limitPageRequests(app, prefersPage)
  app.frameAssets.routes(app)
  await app.register(languageRoutes)
  app.addHook('onListen', async () => {
    const warning = workers.index === 0 ? warningOfPages(app.builtPages) : null
    if (warning !== null) app.log.warn(warning)
  })
}
