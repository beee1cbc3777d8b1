import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/connect.ts'
import type { Guard } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { callerOf } from '../http/access.ts'
import { fewFieldsBytes } from '../http/bodies.ts'
import { Message, type SchemaTypes, type Static } from '../http/schemas.ts'
import { stillAllowed } from '../http/still-allowed.ts'
import { refuseField } from '../kernel/errors.ts'
import { role } from '../policy/rules.ts'
import { type EndTokenDeps, endAccessToken, endRefreshToken } from './end-token.ts'

/**
 * POST /api/admin/tokens/revoke: ends one token, of either kind, by itself or by its id. One that is
 * not valid counts as revoked, spec 3.2; an end that cannot be stored is 503, never a 200 that is
 * not true (RFC 7009 section 2.2).
 */
export interface TokenAdminOptions extends EndTokenDeps {
  readonly db: Database
  readonly events: Events
}

const RevokeToken = {
  type: 'object',
  properties: {
    token: { type: 'string', description: 'An access token or a refresh token' },
    jti: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      format: 'text',
      pattern: '^(?!pair |refresh )', // names of other entries of the list
    },
    exp: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Of the access token with this jti, in seconds: until then it stays revoked',
    },
  },
} as const

export async function tokenAdminRoutes(
  instance: FastifyInstance,
  options: TokenAdminOptions,
): Promise<void> {
  const { db, events, revocations } = options

  instance.withTypeProvider<SchemaTypes>().post(
    '/api/admin/tokens/revoke',
    {
      config: { access: { rule: role('ADMIN') }, body: 'json', maxBodyBytes: fewFieldsBytes },
      schema: {
        summary: 'End one token: by its text, or by its jti and exp',
        body: RevokeToken,
        response: { 200: Message },
      },
    },
    async (request) => {
      const wanted = parseWanted(request.body)
      const guard = stillAllowed(request)
      const isEnded =
        'token' in wanted ? await endToken(wanted.token, guard) : await endById(wanted, guard)
      if (!isEnded) await guard?.judge(db) // nothing is committed
      const by = callerOf(request).subject
      if (isEnded) events.record('authn_token_revoked', { by, reason: 'administrator' })
      return { message: 'Token revoked' }
    },
  )

  async function endToken(token: string, guard?: Guard): Promise<boolean> {
    if (await endAccessToken(options, token, guard)) return true
    return endRefreshToken(options, token, guard)
  }

  async function endById(claims: { jti: string; exp: number }, guard?: Guard): Promise<boolean> {
    await revocations.revoke(claims, guard)
    return true
  }
}

function parseWanted({ token, jti, exp }: Static<typeof RevokeToken>) {
  if (token === undefined) {
    if (jti !== undefined && exp !== undefined) return { jti, exp }
    return refuseField(['token'], 'is required, or else jti and exp')
  }
  if (jti === undefined && exp === undefined) return { token }
  return refuseField(['token'], 'stands alone: leave out jti and exp')
}
