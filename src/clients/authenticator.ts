import type { FastifyRequest } from 'fastify'
import { BoundedMap } from '../bounded/bounded-map.ts'
import type { Client } from '../config/clients-file.ts'
import type { Events } from '../events/events.ts'
import { clientAddress, throttledAddress } from '../http/limits/client-address.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Principal } from '../kernel/principal.ts'
import type { ClientLimits } from '../throttle/limits.ts'
import { basicCredentials, formDecoded } from './basic-credentials.ts'
import type { Clients } from './clients.ts'
import { clientAuthenticationFail } from './events.ts'

/**
 * Authenticates a client by HTTP Basic (RFC 6749 section 2.3.1), at routes that name the scheme. Where
 * a route also accepts Basic of accounts, an id of a client is never looked up as a username.
 *
 * An attempt at a secret is reserved in the database, as a login is. That would cost each request of a
 * busy client two transactions, so a client that was right at an address is remembered there: its next
 * right secret needs no attempt. A wrong one for the client from the address ends that, so that each
 * guess but the first meets the rate limits, before it is compared.
 */
export interface ClientAuthenticatorDeps {
  readonly clientLimits: ClientLimits
  readonly clients: Clients
  readonly clock: Clock
  readonly events: Pick<Events, 'tell'>
}

const rememberedMs = 900_000
const maxRemembered = 10_000

export function clientAuthenticator(deps: ClientAuthenticatorDeps): Authenticator {
  const { clientLimits, clients, clock, events } = deps
  /** Until when a client's right secret from an address needs no attempt. */
  const remembered = new BoundedMap<string, number>(maxRemembered)

  return {
    scheme: 'client',
    header: 'basic',
    mustBeNamed: true,
    missing: 'invalidClient',
    challenge: 'Basic realm="clients"',
    csrf: 'sameSite', // a browser in which the secret was typed sends it again without being asked
    errors: ['tooManyLoginAttempts'],
    describes: {
      type: 'http',
      scheme: 'basic',
      description: 'Id and secret of a client of CLIENTS_FILE (RFC 6749 section 2.3.1)',
    },

    async authenticate(request) {
      const credentials = basicCredentials(request.headers.authorization)
      if (credentials === undefined) return null
      if (credentials === null) {
        if (acceptsAccounts(request)) return null
        throw new ApiError('invalidClient')
      }
      const { name, secret } = credentials
      const id = formDecoded(name)
      const client = clients.byId(id)
      if (!client && acceptsAccounts(request)) return null
      const texts = [...new Set([secret, formDecoded(secret)])]
      await verify(request, { id, client, texts })
      if (!client) throw new ApiError('invalidClient')
      return {
        principal: principalOf(client),
        shared: () => [],
        async again() {
          const present = clients.byId(id)
          return present && clients.hasSecret(present, texts) ? principalOf(present) : null
        },
      }
    },
  }

  /** @throws ApiError invalidClient, tooManyLoginAttempts */
  async function verify(
    request: FastifyRequest,
    { id, client, texts }: { id: string; client: Client | null; texts: readonly string[] },
  ): Promise<void> {
    const address = clientAddress(request)
    const key = `${id} ${throttledAddress(address)}`
    if ((remembered.get(key) ?? 0) > clock.now()) {
      remembered.delete(key)
      if (clients.hasSecret(client, texts)) {
        remembered.set(key, clock.now() + rememberedMs)
        return
      }
    }
    await clientLimits
      .attempt({ id, address }, async () => {
        if (!clients.hasSecret(client, texts)) throw new ApiError('invalidCredentials')
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.row !== 'invalidCredentials') throw error
        events.tell(clientAuthenticationFail, { client: client?.id ?? null })
        throw new ApiError('invalidClient', { cause: error })
      })
    remembered.set(key, clock.now() + rememberedMs)
  }
}

/** Whether a Basic header may be that of an account as well. */
function acceptsAccounts({ routeOptions }: FastifyRequest): boolean {
  const { accepted = [] } = routeOptions.config
  return accepted.some(({ header, scheme }) => header === 'basic' && scheme !== 'client')
}

function principalOf({ id, audiences, may }: Client): Principal {
  return {
    subject: `client:${id}`,
    username: id,
    roles: new Set(),
    credential: { scheme: 'client', audiences: new Set(audiences) },
    amr: [], // a client has no login
    authTime: Number.NEGATIVE_INFINITY,
    client: id,
    scopes: new Set(may),
  }
}
