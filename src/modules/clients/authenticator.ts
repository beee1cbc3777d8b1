import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Principal } from '../../core/policy/principal.ts'
import { basicCredentials, formDecoded } from './basic-credentials.ts'
import { type Client, isPublic } from './client-entry.ts'
import { invalidClient } from './problems.ts'

export function clientAuthenticator({
  clients,
  clientSecrets,
}: Pick<Needs, 'clients' | 'clientSecrets'>): Authenticator {
  return {
    scheme: 'client',
    header: 'basic',
    missing: invalidClient,
    challenge: 'Basic realm="clients"',
    csrf: 'sameSite', // browsers resend a typed secret automatically
    errors: ['tooManyLoginAttempts'],
    describes: {
      type: 'http',
      scheme: 'basic',
      description: 'Id and secret of a client (RFC 6749 section 2.3.1)',
    },

    async authenticate(request) {
      const credentials = basicCredentials(request.headers.authorization)
      if (credentials === undefined) return null
      if (credentials === null) {
        if (acceptsAccounts(request)) return null
        throw new ApiError(invalidClient, { reason: { code: 'client_basic_malformed' } })
      }
      const { name, secret } = credentials
      const id = formDecoded(name)
      const client = await clients.find(id)
      if (!client && acceptsAccounts(request)) return null
      const texts = [...new Set([secret, formDecoded(secret)])]
      await clientSecrets.verify(request, { id, client, texts })
      if (!client) throw new ApiError(invalidClient, { reason: { code: 'unknown_client' } })
      return {
        principal: principalOf(client),
        lockNames: () => [],
        async revalidate(reader) {
          const present = await clients.find(id, reader)
          return present && clients.hasSecret(present, texts) ? principalOf(present) : null
        },
      }
    },
  }
}

/** Whether Basic accepts accounts too. */
function acceptsAccounts({ routeOptions }: FastifyRequest): boolean {
  const { accepted = [] } = routeOptions.config
  return accepted.some(({ header, scheme }) => header === 'basic' && scheme !== 'client')
}

/** A public client proves nothing: it has no right of its entry. */
export function principalOf(client: Client): Principal {
  const { id, application } = client
  const { audiences, may } = isPublic(client) ? { audiences: [], may: [] } : client
  return {
    subject: `client:${id}`,
    username: id,
    roles: new Set(),
    credential: { scheme: 'client', audiences: new Set(audiences) },
    amr: [], // a client has no login
    authTime: Number.NEGATIVE_INFINITY,
    client: id,
    // RFC 7009: any application ends its own tokens.
    scopes: new Set(application ? [...may, 'revoke'] : may),
  }
}
