import type { FastifyRequest } from 'fastify'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { type App, exactly, Integer, named, rolesOf, Text } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Role } from '../../core/policy/principal.ts'
import { client } from '../../core/policy/rules.ts'
import { isPublic } from '../clients/client-entry.ts'
import { endLogin, endRefreshToken, type TokenEnd } from './end-token.ts'
import { introspect, isFor, payloadOf } from './introspection.ts'
import type { AskingClient, OtherTokens } from './other-tokens.ts'
import { invalidRequest, unauthorizedClient, unsupportedRequest } from './problems.ts'

/** In place of Basic, for the authenticator of a module that reads them. */
const ofApplications = {
  client_id: {
    type: 'string',
    description: 'With PROVIDER=on, of an application that sends no Authorization header',
  },
  client_secret: { type: 'string', description: 'Of `client_secret_post`' },
  client_assertion: { type: 'string', description: 'Of `private_key_jwt` (RFC 7523)' },
  client_assertion_type: { type: 'string' },
} as const

const TokenRequest = named(
  'TokenParameters',
  {
    type: 'object',
    required: ['token'],
    properties: {
      token: { type: 'string', minLength: 1 },
      token_type_hint: {
        type: 'string',
        description: '`access_token` or `refresh_token`; ignored, since each token shows its type',
      },
      ...ofApplications,
    },
  },
  { token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1tWmcifQ.eyJzdWIiOiI3In0.Q2hGcA' },
)

const introspectionOf = (roles: readonly Role[]) =>
  named(
    'Introspection',
    {
      type: 'object',
      required: ['active'],
      properties: {
        active: { type: 'boolean', description: 'If false, there are no other members' },
        token_type: { type: 'string', enum: ['Bearer', 'DPoP'] },
        iss: Text,
        sub: {
          type: 'string',
          description: 'The id of the user; `client:<id>` for an application itself',
        },
        aud: { anyOf: [Text, { type: 'array', items: Text }] },
        exp: { type: 'integer', description: 'Seconds since the epoch, as iat, nbf and auth_time' },
        iat: Integer,
        nbf: Integer,
        jti: Text,
        username: Text,
        scope: Text,
        client_id: Text,
        cnf: { ...exactly({ jkt: Text }), description: 'The key of a DPoP token' },
        roles: rolesOf(roles),
        auth_time: { type: 'integer', description: 'When the user last authenticated' },
        amr: { type: 'array', items: Text, description: 'How the user authenticated, RFC 8176' },
        sid: { type: 'string', description: 'The id of the pair that the token belongs to' },
        email: { type: 'string', description: 'The verified address of the account' },
        email_verified: { type: 'boolean' },
      },
      additionalProperties: false,
    },
    {
      active: true,
      token_type: 'Bearer',
      iss: 'https://auth.example.com',
      sub: '7',
      aud: 'api',
      exp: 1_772_447_100,
      iat: 1_772_443_500,
      nbf: 1_772_443_500,
      jti: 'c1f0a9b2d4e6',
      username: 'ann',
      roles: ['USER'],
      auth_time: 1_772_443_500,
      amr: ['pwd'],
    },
  )

/** Both RFCs use the errors of RFC 6749 section 5.2. */
const rewords = {
  invalidBody: invalidRequest,
  validationFailed: invalidRequest,
  accessDenied: unauthorizedClient,
  unsupportedMediaType: unsupportedRequest,
} as const

/**
 * POST /oauth/introspect (RFC 7662) and POST /oauth/revoke (RFC 7009), for clients of CLIENTS_FILE.
 * docs/adr/0034
 */
export async function routes(app: App, options: Needs): Promise<void> {
  const { clients, config, db, tokens } = options
  const others = options.otherTokens()
  acceptForms(app)

  app.post(
    '/oauth/introspect',
    {
      config: {
        access: { rule: client('introspect'), schemes: ['client'] },
        body: 'parameters',
        rewords,
      },
      schema: {
        operationId: 'introspectToken',
        summary: 'Whether an access token is active now, and what it says (RFC 7662)',
        body: TokenRequest,
        response: { 200: introspectionOf(config.roles) },
      },
    },
    async (request) => {
      const { token } = request.body
      const by = askingOf(request)
      const found =
        (await introspect(options, token, by.audiences)) ??
        (await firstOf(others, (one) => one.introspect(token, by)))
      await reauthorize(request)?.authorize(db) // a removed client learns nothing
      return found ?? { active: false }
    },
  )

  app.post(
    '/oauth/revoke',
    {
      config: {
        access: { rule: client('revoke'), schemes: ['client'] },
        body: 'parameters',
        answers: { 200: {} },
        rewords,
      },
      schema: {
        operationId: 'revokeTokenAsClient',
        summary: 'End an access token or a refresh token, and its pair (RFC 7009)',
        body: TokenRequest,
      },
    },
    async (request, reply) => {
      const { token } = request.body
      const guard = reauthorize(request)
      const by = askingOf(request)
      const wasValid =
        ((await mayEndOurs(by)) &&
          (await revoke(token, by.audiences, { guard, reason: 'client' }))) ||
        (await firstOf(others, (one) => one.revoke(token, by, guard)))
      if (!wasValid) await guard?.authorize(db)
      return reply.send()
    },
  )

  /**
   * Ends a refresh token, or an access token for one of the audiences. False for any other text,
   * after the same work for tokens of other audiences and forged tokens.
   */
  async function revoke(
    token: string,
    audiences: ReadonlySet<string>,
    end: TokenEnd,
  ): Promise<boolean> {
    const isAccess = (await tokens.verifyAccess(token)) !== null
    if (await endRefreshToken(options, token, end)) return true
    if (!isAccess || !isFor(payloadOf(token) ?? {}, audiences)) return false
    await endLogin(options, token, end)
    return true
  }
  /** An application ends its own tokens alone, unless its entry says more. */
  async function mayEndOurs({ id }: AskingClient): Promise<boolean> {
    const client = await clients.find(id)
    return client !== null && !isPublic(client) && client.may.includes('revoke')
  }
}

function askingOf(request: FastifyRequest): AskingClient {
  const { client = '', credential } = callerOf(request)
  if (credential.scheme !== 'client') throw new Error('this route is for clients')
  return { id: client, audiences: credential.audiences }
}

async function firstOf<T>(
  all: readonly OtherTokens[],
  ask: (one: OtherTokens) => Promise<T>,
): Promise<T | null> {
  for (const one of all) {
    const answer = await ask(one)
    if (answer) return answer
  }
  return null
}
