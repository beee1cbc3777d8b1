import type { Context } from 'oidc-provider'
import type { Needs } from '../../core/module/services.ts'
import { scopesIn } from '../../modules/api-keys/scopes.ts'
import type { Library } from './library.ts'

interface Token {
  readonly accountId?: string
  readonly clientId: string
  readonly grantId?: string
  readonly sessionUid?: string
  readonly expiresWithSession?: boolean
}

interface Jwt {
  readonly payload: Record<string, unknown>
}

/**
 * Our API as a resource (RFC 8707), for clients whose entry names it alone, and of our scopes only
 * those that an app password may have. The tokens are JWTs: see application-tokens.ts.
 */
export function createApiResource(
  { errors }: Library,
  { clients, config, modules }: Pick<Needs, 'clients' | 'config' | 'modules'>,
) {
  const known = scopesIn(modules).of('app_password')
  return {
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => false,
      async getResourceServerInfo(
        _: Context,
        resource: string,
        { clientId }: { clientId: string },
      ) {
        const application = (await clients.find(clientId))?.application
        const { InvalidTarget = Error } = errors
        if (!application || application.resource !== resource) throw new InvalidTarget()
        return {
          scope: application.scopes.filter((scope) => known.includes(scope)).join(' '),
          audience: config.token.audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: config.token.accessSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }
      },
    },
  }
}

/** The subject of a client is never a number, which is the id of a user. RFC 9068 section 5 */
export function customizeJwt(_: Context, token: Token, { payload }: Jwt): void {
  const { accountId, clientId, expiresWithSession, grantId, sessionUid } = token
  payload.sub = accountId ?? `client:${clientId}`
  if (grantId !== undefined) payload.grant = grantId
  if (expiresWithSession && sessionUid !== undefined) payload.sid = sessionUid
}
