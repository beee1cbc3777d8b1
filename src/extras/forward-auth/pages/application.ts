import type { FastifyInstance } from 'fastify'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import type { Needs } from '../../../core/module/services.ts'
import { anyone } from '../../../core/policy/rules.ts'
import {
  applicationPath,
  type Destination,
  foreignOrigin,
  parseDestination,
} from '../../../modules/flows/return-to.ts'
import { sessionOf } from '../../../modules/pages/sign-in/sessions.ts'
import type { LiveSession } from '../../../modules/sessions/sessions.ts'
import { enterPath } from '../paths.ts'

const errorPage: ErrorPage = (error, request) => refusalPage(error, request, null)

/** GET /signin/application: redirects to the application's host with a ticket. docs/adr/0063 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { config, hostSessions, redirectOrigins } = options
  const { origin: ownOrigin } = new URL(config.baseUrl)

  app.get(
    applicationPath,
    {
      exposeHeadRoute: false, // it issues a ticket
      config: { access: { rule: anyone }, errorPage, answers: { 303: {} } },
      schema: { hide: true },
    },
    async (request, reply) => {
      const query = request.query as Readonly<Record<string, unknown>> // parsed by Fastify
      const asked = parseDestination(query, { origins: redirectOrigins, otherwise: '/account' })
      const session = await sessionOf(options, request)
      const address = session && isEnough(session, asked) ? await onwards(session, asked) : null
      // No sufficient session: back to the sign-in.
      return reply.redirect(address ?? beginningOf(asked), 303)
    },
  )

  /** Null if the session has ended. */
  async function onwards(
    { stored }: LiveSession,
    { returnTo, browser }: Destination,
  ): Promise<string | null> {
    const origin = foreignOrigin(returnTo)
    if (browser === null || origin === null || origin === ownOrigin) return returnTo
    const ticket = await hostSessions.issueTicket(stored.id, { origin, browser, returnTo })
    return ticket && `${origin}${enterPath}?ticket=${ticket}`
  }
}

function isEnough({ needsEnrolment, stored }: LiveSession, asked: Destination): boolean {
  return !needsEnrolment && (!asked.needsTwoFactors || stored.amr.includes('mfa'))
}

function beginningOf({ returnTo, browser, needsTwoFactors: isTwo }: Destination): string {
  const query = new URLSearchParams({
    return_to: returnTo,
    ...(browser !== null && { browser }),
    ...(isTwo && { two_factor: '1' }),
  })
  return `/signin?${query}`
}
