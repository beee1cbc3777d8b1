import { refuseField } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message, named, type Static } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { endAccessToken, endOf, endRefreshToken, type TokenEnd } from './end-token.ts'
import { tokenExamples } from './schemas.ts'

const RevokeToken = named(
  'TokenRevocation',
  {
    type: 'object',
    properties: {
      token: { type: 'string', description: 'An access token or a refresh token' },
      jti: {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        format: 'text',
        pattern: '^(?!pair |refresh )', // prefixes of other entries of the deny-list
      },
      exp: {
        type: 'integer',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Of the access token with this jti, in seconds: until then it stays revoked',
      },
    },
    description: 'Either `token`, or `jti` and `exp`',
  },
  { token: tokenExamples.token },
)

/**
 * POST /api/admin/tokens/revoke: ends a token by its text, or an access token by its id. An invalid
 * token counts as revoked (spec 3.2). If the end cannot be stored, the response is 503, never a
 * false 200 (RFC 7009 section 2.2).
 */
export async function routes(app: App, options: Needs): Promise<void> {
  const { db } = options

  app.post(
    '/api/admin/tokens/revoke',
    {
      config: {
        access: { rule: role('ADMIN') },
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        examples: { answer: { message: 'Token revoked' } },
      },
      schema: {
        operationId: 'revokeToken',
        summary: 'End one token: by its text, or by its jti and exp',
        body: RevokeToken,
        response: { 200: Message },
      },
    },
    async (request) => {
      const wanted = parseRevocation(request.body)
      const guard = reauthorize(request)
      const end = { guard, reason: 'administrator' } as const
      if (!('token' in wanted)) await options.revocations.revoke(wanted, endOf(options, end))
      else if (!(await endToken(wanted.token, end))) await guard?.authorize(db) // nothing to end
      return { message: 'Token revoked' }
    },
  )

  async function endToken(token: string, end: TokenEnd): Promise<boolean> {
    return (
      (await endAccessToken(options, token, end)) || (await endRefreshToken(options, token, end))
    )
  }
}

function parseRevocation({ token, jti, exp }: Static<typeof RevokeToken>) {
  if (token === undefined) {
    if (jti !== undefined && exp !== undefined) return { jti, exp }
    return refuseField(['token'], {
      en: 'is required, unless jti and exp are given',
      de: 'fehlt, wenn jti und exp nicht angegeben sind',
    })
  }
  if (jti === undefined && exp === undefined) return { token }
  return refuseField(['token'], {
    en: 'stands alone: leave out jti and exp',
    de: 'steht allein: Lassen Sie jti und exp weg',
  })
}
