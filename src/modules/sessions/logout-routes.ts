import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { type App, Message, named } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { endSession } from './browser.ts'

const LogoutRequest = {
  type: 'object',
  properties: { refresh_token: {} },
} as const

const SentLogout = named(
  'LogoutRequest',
  {
    type: 'object',
    properties: { refresh_token: { type: 'string', description: 'Ends as well' } },
  },
  {},
)

/**
 * POST /logout, spec 3.1 and 4.1: ends the session of the cookie, the bearer token with its pair,
 * and the refresh token of the body. An invalid token counts as ended. An unreadable body counts as
 * no body.
 */
export async function routes(app: App, options: Needs): Promise<void> {
  const { endBearer, endRefresh } = options
  acceptForms(app)

  app.post(
    '/logout',
    {
      config: {
        tag: 'Sign in',
        access: { rule: anyone },
        csrf: 'exempt', // only ends logins
        body: 'any',
        sends: SentLogout,
        responseHeaders: ['set-cookie'],
        examples: { answer: { message: 'Logged out' } },
      },
      schema: {
        operationId: 'logOut',
        summary:
          'End the session, the bearer token with its pair, and the refresh token that are sent',
        body: LogoutRequest,
        response: { 200: Message },
      },
    },
    async (request, reply) => {
      await endSession(options, request, reply)
      const { refresh_token: token } = request.body
      await endBearer(request)
      if (typeof token === 'string') await endRefresh(token)
      return { message: 'Logged out' }
    },
  )
}
