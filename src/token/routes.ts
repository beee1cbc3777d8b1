import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { isUsable } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Config } from '../config.ts'
import type { Events } from '../events/events.ts'
import { callerOf } from '../http/access.ts'
import { acceptForms } from '../http/bodies.ts'
import { closed, RoleName, type TypeBoxProvider } from '../http/schemas.ts'
import { ApiError } from '../kernel/errors.ts'
import type { KeySet } from '../keys/key-set.ts'
import { anyone, authenticated } from '../policy/rules.ts'
import type { Profiles } from './profiles.ts'
import type { Tokens } from './tokens.ts'

/**
 * Token room, spec 3.2, 4.1 and 5.3: POST /refresh, GET /api/me and GET /.well-known/jwks.json.
 */
export interface TokenRoutesOptions {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly config: Pick<Config, 'token'>
  readonly events: Events
  readonly keys: KeySet
  readonly profiles: Profiles
  readonly tokens: Tokens
}

// Any type is let through: what is no refresh token is 401, whatever else it may be.
const RefreshRequest = Type.Object({ refresh_token: Type.Optional(Type.Unknown()) })

const Refreshed = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds' }),
  },
  closed,
)

const Me = Type.Object(
  {
    sub: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()]),
    roles: Type.Array(RoleName),
  },
  closed,
)

const PublicKeys = Type.Object(
  { keys: Type.Array(Type.Object({}, { additionalProperties: true })) },
  closed,
)

export async function tokenRoutes(
  instance: FastifyInstance,
  { accounts, config, events, keys, profiles, tokens }: TokenRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxProvider>()
  acceptForms(app)

  app.post(
    '/refresh',
    {
      config: { access: { rule: anyone }, body: 'form', errors: ['invalidRefreshToken'] },
      schema: {
        summary: 'A new access token, with the present username and roles',
        body: RefreshRequest,
        response: { 200: Refreshed },
      },
    },
    async (request) => {
      const text = request.body.refresh_token
      const claims = typeof text === 'string' ? await tokens.verifyRefresh(text) : null
      const account = claims && (await accounts.byUserId(Number(claims.sub)))
      if (!account || !isUsable(account) || account.refreshVersion !== claims.ver) {
        throw new ApiError('invalidRefreshToken')
      }
      const seconds = config.token.accessSeconds
      const access_token = await tokens.issueAccess(account, {
        seconds,
        authenticatedAt: claims.authTime * 1000,
      })
      events.record('authn_token_created', { user_id: account.userId, by: 'refresh' })
      return { access_token, token_type: 'Bearer' as const, expires_in: seconds }
    },
  )

  app.get(
    '/api/me',
    {
      config: { access: { rule: authenticated, schemes: ['bearer'] } },
      schema: { summary: 'Who the token speaks for', response: { 200: Me } },
    },
    async (request) => {
      const { subject, roles } = callerOf(request)
      const { email, name } = await profiles.of(Number(subject))
      return { sub: subject, email, name, roles: [...roles] }
    },
  )

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: { rule: anyone } },
      schema: {
        summary: 'The public keys of RS256 tokens (RFC 7517)',
        response: { 200: PublicKeys },
      },
    },
    async () => ({ keys: [...keys.publicKeys().keys] }),
  )
}
