import type { FastifyRequest } from 'fastify'
import { throttledAddress } from '../../core/addresses/address.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Principal } from '../../core/policy/principal.ts'
import type { Workers } from '../../core/workers/workers.ts'
import type { ClientLimits } from '../throttle/limits.ts'
import { basicCredentials, formDecoded } from './basic-credentials.ts'
import type { Clients } from './clients.ts'
import type { Client } from './clients-file.ts'
import { clientAuthenticationFail } from './events.ts'

/**
 * Authenticates a client by HTTP Basic (RFC 6749 section 2.3.1), at routes that name the scheme. Where
 * a route also accepts Basic of accounts, an id of a client is never looked up as a username.
 *
 * An attempt at a secret is reserved in the database, as a login is. That would cost each request of a
 * busy client two transactions. So a client that sent its right secret is remembered with the address:
 * its next right secret from there needs no attempt. A wrong secret for the client from this address
 * ends that, so that the rate limits admit or refuse every guess after the first before it is compared.
 */
export interface ClientAuthenticatorDeps {
  readonly clientLimits: ClientLimits
  readonly clients: Clients
  readonly clock: Clock
  readonly events: Pick<Events, 'emit'>
  readonly workers: Pick<Workers, 'askOthers' | 'count' | 'onAsked'>
}

const rememberedMs = 900_000
const maxRemembered = 10_000

/** Makes the authenticator of the scheme `client`. */
export function clientAuthenticator(deps: ClientAuthenticatorDeps): Authenticator {
  const { clientLimits, clients, clock, events, workers } = deps
  /** By client and address: until when a right secret needs no attempt, in epoch milliseconds. */
  const remembered = new BoundedMap<string, number>(maxRemembered)
  /** By client and address: the last of the attempts under way. */
  const turns = new Map<string, Promise<void>>()
  workers.onAsked('wrong client secret', (key) => remembered.delete(key as string))

  return {
    scheme: 'client',
    header: 'basic',
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
        throw new ApiError('invalidClient', { reason: { code: 'client_basic_malformed' } })
      }
      const { name, secret } = credentials
      const id = formDecoded(name)
      const client = clients.byId(id)
      if (!client && acceptsAccounts(request)) return null
      const texts = [...new Set([secret, formDecoded(secret)])]
      await verify(request, { id, client, texts })
      if (!client) throw new ApiError('invalidClient', { reason: { code: 'unknown_client' } })
      return {
        principal: principalOf(client),
        lockNames: () => [],
        async revalidate() {
          const present = clients.byId(id)
          return present && clients.hasSecret(present, texts) ? principalOf(present) : null
        },
      }
    },
  }

  /** @throws ApiError invalidClient, tooManyLoginAttempts */
  async function verify(request: FastifyRequest, sent: ClientCredentials): Promise<void> {
    const address = clientAddress(request)
    const key = `${sent.id} ${throttledAddress(address)}`
    if (isRemembered(key, sent)) return
    // A wrong secret ends the memory of the other workers too, before it is answered.
    if (workers.count > 1 && !clients.hasSecret(sent.client, sent.texts)) {
      await workers.askOthers('wrong client secret', key)
    }
    const turn = inTurn(key, sent, address)
    turns.set(key, turn)
    try {
      await turn
    } finally {
      if (turns.get(key) === turn) turns.delete(key)
    }
  }

  /** Whether the secret is right, for a client that was right from this address before. */
  function isRemembered(key: string, { client, texts }: ClientCredentials): boolean {
    if ((remembered.get(key) ?? 0) <= clock.now()) return false
    remembered.delete(key)
    if (!clients.hasSecret(client, texts)) return false
    remembered.set(key, clock.now() + rememberedMs)
    return true
  }

  /**
   * Makes an attempt after those that are under way here. If one of them was right, a right secret
   * needs no attempt of its own; if one was refused without being judged, so is this one.
   */
  async function inTurn(key: string, sent: ClientCredentials, address: string): Promise<void> {
    const before = turns.get(key)
    const outcome: unknown = await before?.catch((error: unknown) => error)
    if (outcome instanceof ApiError && outcome.row === 'tooManyLoginAttempts') throw outcome
    if (before && isRemembered(key, sent)) return
    const { id, client, texts } = sent
    try {
      await clientLimits.attempt({ id, address }, async () => {
        if (clients.hasSecret(client, texts)) return
        throw new ApiError('invalidCredentials', { reason: wrongSecret(client) })
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.row !== 'invalidCredentials') throw error
      events.emit(clientAuthenticationFail, { client: client?.id ?? null })
      throw new ApiError('invalidClient', { cause: error, reason: error.reason })
    }
    remembered.set(key, clock.now() + rememberedMs)
  }
}

function wrongSecret(client: Client | null): RefusalReason {
  if (!client) return { code: 'unknown_client' }
  return { code: 'wrong_client_secret', facts: { client: client.id } }
}

/** The credentials of a request. */
interface ClientCredentials {
  readonly id: string
  readonly client: Client | null
  /** The secret as it was sent, and form-decoded. */
  readonly texts: readonly string[]
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
