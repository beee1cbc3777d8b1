import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { acceptForms, fewFieldsBytes, textIn } from '../../core/http/bodies/bodies.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import { type App, Page } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { arrive, isFromElsewhere } from '../../modules/pages/sign-in/arrival.ts'
import { sessionOf } from '../../modules/pages/sign-in/sessions.ts'
import { assertToken } from '../../modules/pages/sign-in/sign-out.ts'
import type { LiveSession } from '../../modules/sessions/sessions.ts'
import { isAllowed } from './account-claims.ts'
import type { WaitingDevice } from './devices.ts'
import { loginOf } from './interaction-login.ts'
import { onlyIfOn } from './only-if-on.ts'

const path = '/device'
const errorPage: ErrorPage = (error, request) => refusalPage(error, request, path)
const Fields = {
  type: 'object',
  properties: { csrf_token: {}, user_code: {}, decision: {} },
} as const

interface Person {
  readonly session: LiveSession
  readonly account: Account
}

/** /device: a person types the code of a device, and decides about its application. RFC 8628 */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, applications, clientLimits } = needs
  const { devices } = applications
  acceptForms(app)
  onlyIfOn(app, applications)
  const form = {
    access: { rule: anyone },
    errorPage,
    csrf: 'foreignPage',
    body: 'form',
    maxBodyBytes: fewFieldsBytes,
    answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
    errors: ['csrfTokenInvalid', 'tooManyLoginAttempts'],
  } as const

  app.get(
    path,
    {
      config: {
        access: { rule: anyone },
        errorPage,
        answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      if (isFromElsewhere(request)) return arrive(request, reply, path)
      const { user_code } = request.query as { user_code?: unknown } // parsed by Fastify
      const code = typeof user_code === 'string' ? user_code.slice(0, maxTyped) : ''
      const person = await personOf(request)
      if (!person) return signIn(reply, code)
      return ask(request, reply, person, { code, isWrong: false })
    },
  )

  app.post(path, { config: form, schema: { hide: true, body: Fields } }, async (request, reply) => {
    const code = textIn(request.body, 'user_code').slice(0, maxTyped)
    const person = await personOf(request)
    if (!person) return signIn(reply, code)
    assertToken(textIn(request.body, 'csrf_token'), person.session.stored.csrfToken)
    const device = await found(request, reply, code)
    if (!device) return ask(request, reply, person, { code, isWrong: true })
    return decide(request, reply, person, device)
  })

  app.post(
    `${path}/decide`,
    { config: form, schema: { hide: true, body: Fields } },
    async (request, reply) => {
      const code = textIn(request.body, 'user_code').slice(0, maxTyped)
      const person = await personOf(request)
      if (!person) return signIn(reply, code)
      assertToken(textIn(request.body, 'csrf_token'), person.session.stored.csrfToken)
      const device = await found(request, reply, code)
      if (!device) return ask(request, reply, person, { code, isWrong: true })
      const isAllowedHere = mayUse(device, person)
      const isGiven = textIn(request.body, 'decision') === 'allow' && isAllowedHere
      if (isGiven && lacksFactor(device, person)) return signIn(reply, code, true)
      const { stored } = person.session
      const login = { ...loginOf(stored), sessionId: stored.id }
      await devices.decide(request, reply, device, isGiven ? login : null)
      return sendView(reply, request, 'provider-device-done', { isGiven })
    },
  )

  function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    { session }: Person,
    { code, isWrong }: { readonly code: string; readonly isWrong: boolean },
  ) {
    const view = { csrf: session.stored.csrfToken, code, isWrong }
    return sendView(reply, request, 'provider-device', view)
  }

  /** Names the application and where the device is, against codes that others send. Section 5.4 */
  function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    person: Person,
    device: WaitingDevice,
  ) {
    if (lacksFactor(device, person)) return signIn(reply, device.userCode, true)
    const { application } = device
    return sendView(reply, request, 'provider-device-decision', {
      csrf: person.session.stored.csrfToken,
      code: device.userCode,
      username: person.account.username,
      application: application.name,
      operator: application.operator,
      scopes: device.scopes,
      address: device.address,
      isOpen: mayUse(device, person),
    })
  }

  /** Wrong codes count for the address. Section 5.1 @throws ApiError tooManyLoginAttempts */
  async function found(
    request: FastifyRequest,
    reply: FastifyReply,
    code: string,
  ): Promise<WaitingDevice | null> {
    const attempt = { id: 'device codes', address: clientAddress(request) }
    try {
      return await clientLimits.attempt(attempt, async () => {
        const device = await devices.find(request, reply, code)
        if (device) return device
        throw new ApiError('invalidCredentials', { reason: { code: 'device_code_unknown' } })
      })
    } catch (error) {
      if (error instanceof ApiError && error.row === 'invalidCredentials') return null
      throw error
    }
  }

  async function personOf(request: FastifyRequest): Promise<Person | null> {
    const session = await sessionOf(needs, request)
    if (!session || session.needsEnrolment) return null
    const account = await accounts.byUserId(session.stored.userId)
    return account && { session, account }
  }
}

function mayUse({ application }: WaitingDevice, { account }: Person): boolean {
  return isAllowed(application, account)
}

function lacksFactor({ application }: WaitingDevice, { session }: Person): boolean {
  return application.needsTwoFactors && !session.stored.amr.includes('mfa')
}

const maxTyped = 32

function signIn(reply: FastifyReply, code: string, needsTwoFactors = false): FastifyReply {
  const query = new URLSearchParams({
    ...(code !== '' && { user_code: code }),
    ...(needsTwoFactors && { two_factor: '1' }),
  })
  const return_to = query.size === 0 ? path : `${path}?${query}`
  return reply.redirect(`/signin?${new URLSearchParams({ return_to })}`, 303)
}
