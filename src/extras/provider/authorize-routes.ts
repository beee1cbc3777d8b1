import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { type App, Page } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { onlyIfOn } from './only-if-on.ts'
import { protocolPaths } from './paths.ts'

// Of the request, which a row keeps for an hour.
const maxLength = 6000
const path = protocolPaths.authorization
const errorPage: ErrorPage = (error, request) => refusalPage(error, request, null)

/** GET and POST /oauth/authorize, and its return after the pages of the person. */
export async function routes(app: App, { applications }: Needs): Promise<void> {
  acceptForms(app)
  onlyIfOn(app, applications)
  const { interactions, mount } = applications
  const answers = { 200: { [mediaTypes.html]: Page }, 303: {} }
  const config = { access: { rule: anyone }, isReturnTarget: false, errorPage, answers } as const

  app.get(
    path,
    {
      exposeHeadRoute: false, // begins an interaction
      config: { ...config, answers: { 303: {} } },
      schema: { hide: true },
    },
    async (request, reply) => {
      assertLength(request.url)
      return mount(request, reply)
    },
  )

  app.post(
    path,
    {
      config: {
        ...{ access: config.access, errorPage, csrf: 'exempt', body: 'parameters' },
        answers: { 303: {} },
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      // A form of another site comes without the cookies.
      const query = new URLSearchParams((request.body ?? {}) as Record<string, string>)
      const url = `${path}?${query}`
      assertLength(url)
      return reply.redirect(url, 303)
    },
  )

  app.get(
    `${path}/:uid`,
    { exposeHeadRoute: false, config, schema: { hide: true } },
    async (request, reply) => {
      const interaction = await interactions.find(uidOf(request), request)
      const expectedSession = interaction?.result?.session
      return mount(request, reply, { expectedSession })
    },
  )
}

export function uidOf({ params }: FastifyRequest): string {
  return (params as { uid: string }).uid // declared by the path
}

function assertLength(url: string): void {
  if (url.length <= maxLength) return
  throw new ApiError('badRequest', { reason: { code: 'application_request_too_long' } })
}
