import type { FastifyRequest } from 'fastify'
import { throttledAddress } from '../../core/addresses/address.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Needs } from '../../core/module/services.ts'
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

/** The secrets that clients send, with the limit of guesses: by Basic and at the token endpoint. */
export interface ClientSecrets {
  /** @throws ApiError invalidClient, tooManyLoginAttempts */
  verify(request: FastifyRequest, sent: ClientCredentials): Promise<void>
}

export interface ClientCredentials {
  readonly id: string
  readonly client: Client | null
  /** As sent, and form-decoded. */
  readonly texts: readonly string[]
}

export function createClientSecrets(
  deps: Pick<Needs, 'clientLimits' | 'clients' | 'clock' | 'events' | 'workers'>,
): ClientSecrets {
  const { clientLimits, clients, clock, events, workers } = deps
  /** By client and address: end of the exemption, epoch milliseconds. */
  const remembered = new BoundedMap<string, number>(maxRemembered)
  /** By client and address: the last pending attempt. */
  const turns = new Map<string, Promise<void>>()
  workers.onAsked('wrong client secret', (key) => void remembered.delete(key))
  return { verify }

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
