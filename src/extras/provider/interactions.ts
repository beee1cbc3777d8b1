import type { FastifyRequest } from 'fastify'
import { digest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Needs } from '../../core/module/services.ts'
import { createWaitingRequests } from '../../modules/flows/browser-requests.ts'
import { browserOf, knownBrowser } from '../../modules/flows/requests.ts'
import { type Adapter, createSealing, type Payload } from './storage.ts'
import { EndedMeanwhile, workNow } from './work.ts'

/** An authorization request that waits for the person, in one browser. */
export interface Interaction {
  readonly uid: string
  readonly client: string
  readonly params: Readonly<Record<string, string | undefined>>
  /** What the library misses: `select_account`, `login` or `consent`. */
  readonly prompt: string
  readonly reasons: readonly string[]
  readonly details: Readonly<Record<string, unknown>>
  /** The account of the session at the application's request. */
  readonly userId: number | null
  /** What earlier steps have answered. */
  readonly before: Result
  readonly result: Result | null
  /** Null: not seen yet. */
  readonly seen: Seen | null
  readonly payload: Payload
  readonly sealed: string
}

/** The first look of the browser. */
export interface Seen {
  /** Empty: none. */
  readonly session: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** The answer to the library, and the session of ours that gave it. */
export interface Result {
  readonly session?: string
  readonly select_account?: object
  readonly login?: object
  readonly consent?: { readonly scopes: readonly string[] }
  readonly error?: string
  readonly error_description?: string
}

export interface Interactions {
  readonly adapter: Partial<Adapter>
  /** Null if it has ended, or began in another browser. */
  find(uid: string, request: FastifyRequest): Promise<Interaction | null>
  /** @throws EndedMeanwhile if another request has changed it */
  change(
    trx: DatabaseOrTransaction,
    interaction: Interaction,
    changes: { readonly result?: Result; readonly seen?: Seen },
  ): Promise<void>
}

/** Stored as the flows of pages are, with their limits. docs/adr/0101 */
export function createInteractions(
  deps: Pick<Needs, 'clock' | 'db' | 'keys' | 'random'>,
): Interactions {
  const sealing = createSealing(deps)
  const waiting = createWaitingRequests(deps, {
    ...{ purpose: 'page_application', what: 'requests of applications' },
  })

  async function find(uid: string, request: FastifyRequest): Promise<Interaction | null> {
    const browser = knownBrowser(request)
    const id = digest(uid)
    const sealed = browser && (await waiting.find(id, browser))
    return sealed ? interactionOf(uid, sealed, sealing.open(id, sealed)) : null
  }

  return {
    find,

    async change(trx, { uid, payload, sealed }, changes) {
      const id = digest(uid)
      const next = sealing.seal(id, { ...payload, ...changes })
      if (await waiting.change(trx, { id, sealed }, next)) return
      throw new EndedMeanwhile('another request has changed the interaction')
    },

    adapter: {
      async find(uid) {
        const found = await find(uid, workNow().request)
        // The library compares its session with the session of the request, which a new sign-in replaces:
        // the browser's cookie and `expectedSession` bind the interaction instead.
        return found ? { ...found.payload, session: undefined } : undefined
      },

      async upsert(uid, payload, seconds) {
        const { request, reply, writes } = workNow()
        const id = digest(uid)
        const browser = browserOf(request, reply, deps.random)
        const sealed = sealing.seal(id, payload)
        writes.push((trx) => waiting.add(trx, { id, sealed, seconds, browser }))
      },

      async destroy(uid) {
        const { request, writes } = workNow()
        const found = await find(uid, request)
        writes.push(async (trx) => {
          const isRemoved =
            found !== null && (await waiting.remove(trx, { id: digest(uid), sealed: found.sealed }))
          if (!isRemoved) throw new EndedMeanwhile('another request has used the interaction')
        })
      },
    },
  }
}

/** As the library and `change` have written it. */
function interactionOf(uid: string, sealed: string, payload: Payload): Interaction {
  const { params, prompt, session, lastSubmission, result, seen } = payload as {
    params: Record<string, string | undefined>
    prompt: { name: string; reasons: string[]; details: Record<string, unknown> }
    session?: { accountId?: string }
    lastSubmission?: Result
    result?: Result
    seen?: Seen
  }
  return {
    ...{ uid, sealed, params, client: params.client_id ?? '' },
    ...{ prompt: prompt.name, reasons: prompt.reasons, details: prompt.details },
    userId: session?.accountId === undefined ? null : Number(session.accountId),
    ...{ before: lastSubmission ?? {}, result: result ?? null, seen: seen ?? null },
    payload,
  }
}
