import type { Context } from 'oidc-provider'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { type App, type JsonSchema, named, Text } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
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
import type { Work } from './work.ts'

const TokenAnswer = named(
  'ApplicationTokens',
  {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: {
      access_token: Text,
      token_type: { type: 'string', enum: ['Bearer', 'DPoP'] },
      expires_in: { type: 'integer', description: 'Seconds' },
      id_token: { type: 'string', description: 'With the scope openid' },
      refresh_token: { type: 'string', description: 'Each use gives the next one' },
      scope: Text,
    },
  },
  {
    access_token: 'Yd2tLC9hKZ3aQzW8vXfN1gQ2hGcA5vKp2mQwXb3nTz8',
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'openid profile',
  },
)
const Claims = named(
  'Userinfo',
  { type: 'object', required: ['sub'], properties: { sub: Text }, additionalProperties: true },
  { sub: '7', preferred_username: 'ann', groups: ['USER'] },
)
const Pushed = named(
  'PushedRequest',
  {
    type: 'object',
    required: ['request_uri', 'expires_in'],
    properties: { request_uri: Text, expires_in: { type: 'integer' } },
  },
  { request_uri: 'urn:ietf:params:oauth:request_uri:Q2hGcA5vKp2mQwXb3nTz8', expires_in: 60 },
)
const DeviceAnswer = named(
  'DeviceCodes',
  {
    type: 'object',
    required: ['device_code', 'user_code', 'verification_uri', 'expires_in'],
    properties: {
      device_code: Text,
      user_code: Text,
      verification_uri: Text,
      verification_uri_complete: Text,
      expires_in: { type: 'integer', description: 'Seconds' },
    },
  },
  {
    device_code: 'Yd2tLC9hKZ3aQzW8vXfN1gQ2hGcA5vKp2mQwXb3nTz8',
    user_code: 'WDJB-MJHT',
    verification_uri: 'https://auth.example.com/device',
    expires_in: 600,
  },
)
const Metadata = named(
  'ProviderMetadata',
  {
    type: 'object',
    required: ['issuer'],
    properties: { issuer: Text },
    additionalProperties: true,
  },
  { issuer: 'https://auth.example.com' },
)

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
export async function routes(app: App, { applications, events }: Needs): Promise<void> {
  acceptForms(app)
  onlyIfOn(app, applications)
  const { mount } = applications
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
      (request, reply) => mount(request, reply),
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
  for (const url of [token, protocolPaths.pushed_authorization_request, userinfoPath]) {
    app.options(
      url,
      {
        config: { access, cors: false, answers: { 204: {} }, errors: ['routeNotFound'] },
        schema: { hide: true },
      },
      (request, reply) => mount(request, reply),
    )
  }

  /** In the transaction of the tokens. */
  function record(work: Work, { body, oidc }: Context): void {
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
