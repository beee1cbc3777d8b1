import type { Context } from 'oidc-provider'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { App, JsonSchema } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { createDevicePolls } from './device-polls.ts'
import { tokenReused, tokensIssued } from './events.ts'
import { onlyIfOn } from './only-if-on.ts'
import { discoveryPaths, protocolPaths } from './paths.ts'
import {
  ofPushed,
  ofTokens,
  ofUserinfo,
  requestTooLarge,
  requestUnread,
  slowDown,
  temporarilyUnavailable,
  typeUnsupported,
} from './problems.ts'
import { described } from './protocol-errors.ts'
import { Claims, DeviceAnswer, Metadata, Pushed, TokenAnswer } from './protocol-schemas.ts'
import { responseModes } from './request-parameters.ts'
import type { Work } from './work.ts'

const rewords = {
  invalidBody: requestUnread,
  bodyTooLarge: requestTooLarge,
  unsupportedMediaType: typeUnsupported,
  tooManyLoginAttempts: slowDown,
  serviceUnavailable: temporarilyUnavailable,
} as const
const challenged = { 401: ['www-authenticate'] } as const
// RFC 6750 section 3
const challengedAlways = {
  ...challenged,
  400: ['www-authenticate'],
  403: ['www-authenticate'],
} as const
const access = { rule: anyone }
const json = (schema: JsonSchema) => ({ 200: { [mediaTypes.json]: schema } })

/** The endpoints that the library answers: OpenID Connect Core, RFC 6749, RFC 9126, RFC 8414. */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { applications, events } = needs
  acceptForms(app)
  onlyIfOn(app, applications)
  const { mount } = applications
  const notePoll = createDevicePolls(needs)
  if (applications.isOn) await applications.prepare()

  for (const url of discoveryPaths) {
    app.get(
      url,
      {
        config: { access, cors: false, answers: json(Metadata), errors: ['routeNotFound'] },
        schema: {
          operationId: url === discoveryPaths[0] ? 'providerMetadata' : 'serverMetadata',
          summary: 'What this OpenID Provider offers (Discovery 1.0, RFC 8414)',
        },
      },
      (request, reply) => mount(request, reply, { isForProgram: true, also: withoutFragment }),
    )
  }

  const token = protocolPaths.token
  app.post(
    token,
    {
      config: {
        ...{ access, csrf: 'exempt', cors: false, body: 'parameters', rewords },
        answers: json(TokenAnswer),
        errors: ['routeNotFound', ...ofTokens.map(described), slowDown, temporarilyUnavailable],
        errorHeaders: challenged,
      },
      schema: {
        operationId: 'issueApplicationTokens',
        summary:
          'Tokens for an application: code, refresh token, or the application itself (RFC 6749)',
      },
    },
    (request, reply) =>
      mount(request, reply, { isForProgram: true, also: (work, context) => record(work, context) }),
  )

  app.post(
    protocolPaths.pushed_authorization_request,
    {
      config: {
        ...{ access, csrf: 'exempt', cors: false, body: 'parameters', rewords },
        answers: { 201: { [mediaTypes.json]: Pushed } },
        errors: ['routeNotFound', ...ofPushed.map(described), slowDown, temporarilyUnavailable],
        errorHeaders: challenged,
      },
      schema: {
        operationId: 'pushAuthorizationRequest',
        summary: 'Keeps a request of an application for a minute (RFC 9126)',
      },
    },
    (request, reply) => mount(request, reply, { isForProgram: true }),
  )

  app.post(
    protocolPaths.device_authorization,
    {
      config: {
        ...{ access, csrf: 'exempt', cors: false, body: 'parameters', rewords },
        answers: json(DeviceAnswer),
        errors: [
          ...['routeNotFound' as const, slowDown, temporarilyUnavailable],
          ...ofPushed.map(described),
        ],
        errorHeaders: challenged,
      },
      schema: {
        operationId: 'beginDeviceSignIn',
        summary: 'A code that a person types at /device, for a device without a browser (RFC 8628)',
      },
    },
    (request, reply) => mount(request, reply, { isForProgram: true }),
  )

  const userinfo = {
    config: {
      access,
      cors: false,
      rewords,
      answers: json(Claims),
      errors: ['routeNotFound' as const, ...ofUserinfo.map(described), temporarilyUnavailable],
      errorHeaders: challengedAlways,
    },
  }
  const { userinfo: userinfoPath } = protocolPaths
  app.get(
    userinfoPath,
    {
      ...userinfo,
      schema: {
        operationId: 'userinfo',
        summary: 'The claims of a person, by a token of an application',
      },
    },
    (request, reply) => mount(request, reply, { isForProgram: true }),
  )
  app.post(
    userinfoPath,
    {
      config: { ...userinfo.config, csrf: 'exempt', body: 'parameters' },
      schema: {
        operationId: 'userinfoByPost',
        summary: 'The same by POST (OpenID Connect Core 5.3.1)',
      },
    },
    (request, reply) => mount(request, reply, { isForProgram: true }),
  )

  // A browser asks before it sends the request of a single-page application.
  const { device_authorization: device, pushed_authorization_request: par } = protocolPaths
  // Without the provider, the revocation is a route like others.
  const cors = applications.isOn ? { cors: false as const } : {}
  for (const url of [token, par, device, userinfoPath, protocolPaths.revocation]) {
    app.options(
      url,
      {
        config: { access, ...cors, answers: { 204: {} }, errors: ['routeNotFound'] },
        schema: { hide: true },
      },
      (request, reply) => mount(request, reply),
    )
  }

  /** The library states every mode that it can. */
  function withoutFragment(_: Work, { body }: Context): void {
    Object.assign(body as object, { response_modes_supported: responseModes })
  }

  /** In the transaction of the tokens. */
  function record(work: Work, context: Context): void {
    notePoll(work, context)
    const { body, oidc } = context
    const { entities, params } = oidc
    const client = entities.Client?.clientId ?? ''
    const of = { user_id: work.userId, client }
    const issued = entities.AccessToken ?? entities.ClientCredentials
    if (work.isReused) {
      work.writes.push((trx) => events.emitInTransaction(trx, tokenReused, of))
    } else if (issued && hasToken(body)) {
      const scopes = issued.scope?.split(' ') ?? []
      const grant = params.grant_type ?? ''
      const { sessionId } = work
      if (sessionId !== null && grant === 'authorization_code') {
        work.writes.push((trx) => applications.signOuts.note(trx, client, sessionId))
      }
      const type = work.applications.get(client)?.type ?? ''
      work.writes.push((trx) =>
        events.emitInTransaction(trx, tokensIssued, { ...of, type, grant, scopes }),
      )
    }
  }
}

/** A JWT for our API is stored nowhere: its record alone is written. */
function hasToken(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'access_token' in body
}
