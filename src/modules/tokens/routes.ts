import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { LoginFacts } from '../../core/events/events.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { tokenReuse } from '../../core/http/events.ts'
import { markAsLogged } from '../../core/http/refusals/logged.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { type App, exactly, named, rolesOf, Text, TextOrNull } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Principal, type Role, userIdOf } from '../../core/policy/principal.ts'
import { anyone, authenticated } from '../../core/policy/rules.ts'
import { accountIn } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import { ann } from '../users/schemas.ts'
import type { RefreshClaims } from './claims.ts'
import { tokenCreated } from './events.ts'
import { noProfile, type Profile } from './profiles.ts'
import type { Successor } from './rotation.ts'
import { Refreshed, SentRefreshToken } from './schemas.ts'

// Any type is accepted here: anything but a refresh token is 401.
const RefreshRequest = {
  type: 'object',
  properties: { refresh_token: {} },
} as const

const meSchema = (roles: readonly Role[]) =>
  named('Me', exactly({ sub: Text, email: TextOrNull, name: TextOrNull, roles: rolesOf(roles) }), {
    sub: String(ann.id),
    email: ann.email,
    name: ann.name,
    roles: ['USER'],
  })

const exampleKey = {
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
  kid: '1f',
  n: 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0…',
  e: 'AQAB',
}

const PublicKeys = named(
  'Jwks',
  exactly({
    keys: {
      type: 'array',
      items: named(
        'Jwk',
        {
          type: 'object',
          properties: { kty: Text, use: Text, alg: Text, kid: Text, n: Text, e: Text },
          additionalProperties: true,
        },
        exampleKey,
      ),
    },
  }),
  { keys: [exampleKey] },
)

/** Spec 3.2, 4.1 and 5.3. */
export async function routes(app: App, options: Needs): Promise<void> {
  const { accounts, config, db, events, keys, profiles, requirements, rotation, tokens } = options
  const { revocations } = options
  acceptForms(app)

  app.post(
    '/refresh',
    {
      config: {
        access: { rule: anyone },
        csrf: 'exempt', // the credential is in the body
        body: 'form',
        sends: SentRefreshToken,
        errors: ['invalidRefreshToken'],
      },
      schema: {
        operationId: 'refreshToken',
        summary: 'A new access token, with the present username and roles',
        body: RefreshRequest,
        response: { 200: Refreshed },
      },
    },
    async (request) => {
      const text = request.body.refresh_token
      let reason: RefusalReason = { code: 'refresh_token_absent' }
      const tell = (told: RefusalReason) => {
        reason = told
      }
      const isSent = typeof text === 'string' && text !== ''
      const claims = isSent ? await tokens.verifyRefresh(text, tell) : null
      if (!claims) throw new ApiError('invalidRefreshToken', { reason })
      const account = await accounts.byUserId(Number(claims.sub))
      if (!account) throw accountGone(claims)
      assertMayRefresh(claims, account)
      const facts = { user_id: Number(claims.sub) }
      const { id: sid, isEnded } = await rotation.pairOf(claims)
      if (isEnded) {
        throw new ApiError('invalidRefreshToken', { reason: { code: 'token_pair_ended', facts } })
      }
      if (await revocations.refusesRefresh(claims)) {
        const reason = { code: 'refresh_token_revoked', facts } as const
        throw new ApiError('invalidRefreshToken', { reason })
      }
      const seconds = config.token.accessSeconds
      const authentication = { amr: claims.amr, authTime: claims.authTime * 1000 }
      const jti = tokens.newJti()
      const login = { username: account.username, factors: claims.amr, jti }
      const successor = await succeed(claims, account, { sid, login }, request)
      const options = { ...authentication, seconds, sid, jti }
      const access_token = await tokens.issueAccess(account, options)
      if (!successor) await recordRefresh(account, login)
      return {
        access_token,
        ...(successor && {
          refresh_token: await tokens.issueRefresh(account, {
            ...authentication,
            identity: successor,
          }),
        }),
        token_type: 'Bearer' as const,
        expires_in: seconds,
      }
    },
  )

  app.get(
    '/api/me',
    {
      config: { access: { rule: authenticated, schemes: ['bearer'] } },
      schema: {
        operationId: 'getMe',
        summary: 'Who the token speaks for',
        response: { 200: meSchema(config.roles) },
      },
    },
    (request) => {
      const caller = callerOf(request)
      // The claims of the token come first. A token of this service has the verified address, and
      // no name, so that a new name shows at once.
      const userId = userIdOf(caller)
      const profile = userId === null ? noProfile : profiles.of(userId)
      return profile instanceof Promise
        ? profile.then((read) => meOf(caller, read))
        : meOf(caller, profile)
    },
  )

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: { rule: anyone }, responseHeaders: ['cache-control'] },
      schema: {
        operationId: 'getJwks',
        summary: 'The public keys of RS256 tokens (RFC 7517)',
        response: { 200: PublicKeys },
      },
    },
    async (_request, reply) => {
      const { keys: published, maxAgeSeconds } = await keys.published()
      // Single-page applications verify ID tokens: the keys are for everyone.
      const open = 'access-control-allow-origin'
      if (!reply.hasHeader(open)) reply.header(open, '*')
      if (maxAgeSeconds > 0) reply.header('cache-control', `public, max-age=${maxAgeSeconds}`)
      return { keys: [...published] }
    },
  )

  /**
   * Rejects a locked account, an account whose logins ended since, and an account that must enrol a
   * second factor.
   */
  function assertMayRefresh({ ver }: RefreshClaims, account: Account): void {
    const since = { now: account, before: { refreshVersion: ver } }
    requirements.refuse('refresh', { account, since })
  }

  /** Durable, as for a login. A rotation records the event with the use of the token. */
  function recordRefresh({ userId }: Account, login: LoginFacts): Promise<void> {
    const payload = { user_id: userId, grant: 'refresh' } as const
    return transact(db, [], (trx) =>
      events.emitInTransaction(trx, tokenCreated, payload, { login }),
    )
  }

  /**
   * The successor of a refresh token; null without rotation. @throws ApiError invalidRefreshToken
   */
  async function succeed(
    claims: RefreshClaims,
    { userId }: Account,
    { sid, login }: { readonly sid: string; readonly login: LoginFacts },
    request: FastifyRequest,
  ): Promise<Successor | null> {
    if (!config.token.rotatesRefresh) return null
    const guard = {
      lockNames: () => [],
      async authorize(trx: DatabaseOrTransaction) {
        const account = await accountIn(trx, userId)
        if (!account) throw accountGone(claims)
        assertMayRefresh(claims, account)
      },
    }
    const successor = await rotation.use(claims, guard, login)
    if (successor !== 'reused') return successor
    markAsLogged(request)
    const reason = { code: 'refresh_token_reused', facts: { user_id: userId } } as const
    const error = new ApiError('invalidRefreshToken', { reason })
    const refusal = { status: error.status, reason: reason.code }
    // A thief may hold access tokens of the family too. RFC 9700 section 4.14.2.
    await revocations.endPair(sid, claims.exp, {
      also: (trx) =>
        events.emitInTransaction(
          trx,
          tokenReuse,
          { user_id: userId, kind: 'refresh' },
          { refusal },
        ),
    })
    throw error
  }
}

function accountGone({ sub }: Pick<RefreshClaims, 'sub'>): ApiError {
  const reason = { code: 'refresh_account_gone', facts: { user_id: Number(sub) } } as const
  return new ApiError('invalidRefreshToken', { reason })
}

function meOf({ credential, roles, subject }: Principal, profile: Profile) {
  const hasClaims = credential.scheme === 'bearer' || credential.scheme === 'external'
  const {
    sub,
    email = profile.email,
    name = profile.name,
  } = hasClaims ? credential.claims : { sub: subject }
  return { sub, email, name, roles: [...roles] }
}
