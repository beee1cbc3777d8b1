import type { FastifyRequest } from 'fastify'
import { throttledAddress } from '../../core/addresses/address.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Principal } from '../../core/policy/principal.ts'
import { basicCredentials, formDecoded } from './basic-credentials.ts'
import type { Client } from './client-entry.ts'
import { clientAuthenticationFail } from './events.ts'
import { invalidClient } from './problems.ts'

declare module '../../core/workers/topics.ts' {
  interface PollTopics {
    /** By client and address. */
    'wrong client secret': Topic<[key: string], void>
  }
}

const rememberedMs = 900_000
const maxRemembered = 10_000

export function clientAuthenticator(
  deps: Pick<Needs, 'clientLimits' | 'clients' | 'clock' | 'events' | 'workers'>,
): Authenticator {
  const { clientLimits, clients, clock, events, workers } = deps
  /** By client and address: end of the exemption, epoch milliseconds. */
  const remembered = new BoundedMap<string, number>(maxRemembered)
  /** By client and address: the last pending attempt. */
  const turns = new Map<string, Promise<void>>()
  workers.onAsked('wrong client secret', (key) => void remembered.delete(key))

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
      await verify(request, { id, client, texts })
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

  /** @throws ApiError invalidClient, tooManyLoginAttempts */
  async function verify(request: FastifyRequest, sent: ClientCredentials): Promise<void> {
    const address = clientAddress(request)
    const key = `${sent.id} ${throttledAddress(address)}`
    if (isRemembered(key, sent)) return
    // Ends the exemption at other workers. A worker that answers late compares one more secret.
    if (workers.count > 1 && !clients.hasSecret(sent.client, sent.texts)) {
      await workers.pollOthers('wrong client secret', key)
    }
    const turn = inTurn(key, sent, address)
    turns.set(key, turn)
    try {
      await turn
    } finally {
      if (turns.get(key) === turn) turns.delete(key)
    }
  }

  /** Whether the secret is right and exempt at this address. */
  function isRemembered(key: string, { client, texts }: ClientCredentials): boolean {
    if ((remembered.get(key) ?? 0) <= clock.now()) return false
    remembered.delete(key)
    if (!clients.hasSecret(client, texts)) return false
    remembered.set(key, clock.now() + rememberedMs)
    return true
  }

  /**
   * Waits for pending attempts. After a success, a right secret needs no attempt; after a rejection
   * without comparison, this attempt is rejected too.
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
      throw new ApiError(invalidClient, { cause: error, reason: error.reason })
    }
    remembered.set(key, clock.now() + rememberedMs)
  }
}

function wrongSecret(client: Client | null): RefusalReason {
  if (!client) return { code: 'unknown_client' }
  return { code: 'wrong_client_secret', facts: { client: client.id } }
}

interface ClientCredentials {
  readonly id: string
  readonly client: Client | null
  /** As sent, and form-decoded. */
  readonly texts: readonly string[]
}

/** Whether Basic accepts accounts too. */
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
