import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import { ApiError, type Problem } from '../../core/errors.ts'
import {
  type ChangeConditions,
  changeAsSeen,
  goneMeanwhile,
} from '../../core/http/changes/resource.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Client, hasSecrets, maxSecrets, parseClient, publicEntry } from './client-entry.ts'
import type { ListedClient } from './clients.ts'
import type { Entry } from './entry-reader.ts'
import {
  clientChanged,
  clientCreated,
  clientRemoved,
  clientSecretAdded,
  clientSecretRemoved,
} from './events.ts'
import { newSecret } from './new-secret.ts'
import {
  clientExists,
  clientInFile,
  clientNotFound,
  hasNoSecrets,
  noOtherSecret,
} from './problems.ts'
import { clientStore } from './store.ts'

/** Changes the clients of the database. Clients of the file are refused. */
export interface ClientAdmin {
  /** @throws ApiError validationFailed, clientExists, clientInFile */
  create(entry: Entry, options?: CreateOptions): Promise<WithSecret>
  /** Replaces all fields but the secrets. @throws ApiError validationFailed, clientInFile, clientNotFound */
  change(id: string, entry: Entry, how?: ChangeConditions<ListedClient>): Promise<WithSecret>
  /** @throws ApiError clientInFile, clientNotFound */
  remove(id: string, how?: ChangeConditions<ListedClient>): Promise<ListedClient>
  /**
   * The newest of the other secrets stays valid, unless `endsEarlier`. @throws ApiError clientInFile,
   * clientNotFound, hasNoSecrets
   */
  addSecret(
    id: string,
    endsEarlier: boolean,
    how?: ChangeConditions<ListedClient>,
  ): Promise<WithSecret>
  /** @throws ApiError clientInFile, clientNotFound, noOtherSecret */
  retireSecret(id: string, how?: ChangeConditions<ListedClient>): Promise<ListedClient>
}

export interface CreateOptions {
  readonly guard?: Guard | undefined
  /** Runs before the client is stored. */
  readonly inTransaction?: ((trx: DatabaseOrTransaction) => Promise<void>) | undefined
}

export interface WithSecret {
  readonly client: ListedClient
  /** Shown once; null if no secret was made. */
  readonly secret: string | null
}

type ClientReason = 'client_in_file' | 'client_without_secret' | 'no_earlier_secret'

export function createClientAdmin({
  clients,
  clock,
  config,
  db,
  events,
  random,
}: Pick<Needs, 'clients' | 'clock' | 'config' | 'db' | 'events' | 'random'>): ClientAdmin {
  return {
    async create(entry, { guard, inTransaction } = {}) {
      const { client, secret } = withSecret(parsed(entry, []))
      assertNotInFile(client.id)
      const insert = async (trx: DatabaseOrTransaction) => {
        await inTransaction?.(trx)
        await clientStore(trx).insert(client, clock.now())
        const type = client.application?.type ?? null
        await events.emitInTransaction(trx, clientCreated, { client: client.id, type })
      }
      try {
        await transact(db, [], insert, guard)
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error
        throw new ApiError(clientExists, {
          cause: error,
          reason: { code: 'client_exists', facts: { client: client.id } },
        })
      }
      return { client, secret }
    },

    change: (id, entry, how) =>
      changing(id, how, async (trx, before) => {
        const { client, secret } = withSecret(parsed({ ...entry, id }, before.secretHashes))
        const changed = differing(publicEntry(before), publicEntry(client))
        if (changed.length === 0) return { client: before, secret: null }
        await clientStore(trx).update(client, clock.now())
        await events.emitInTransaction(trx, clientChanged, { client: id, changed })
        return { client, secret }
      }),

    remove: (id, how) =>
      changing(id, how, async (trx, before) => {
        await clientStore(trx).remove(id)
        await events.emitInTransaction(trx, clientRemoved, { client: id })
        return before
      }),

    addSecret: (id, endsEarlier, how) =>
      changing(id, how, async (trx, before) => {
        if (!hasSecrets(before)) throw refusal(hasNoSecrets, 'client_without_secret', id)
        const { secret, hex } = newSecret(random)
        const kept = endsEarlier ? [] : before.secretHashes.slice(0, maxSecrets - 1)
        const client = { ...before, secretHashes: [hex, ...kept] }
        await clientStore(trx).update(client, clock.now())
        const facts = { client: id, ends_earlier: endsEarlier }
        await events.emitInTransaction(trx, clientSecretAdded, facts)
        return { client, secret }
      }),

    retireSecret: (id, how) =>
      changing(id, how, async (trx, before) => {
        if (before.secretHashes.length < maxSecrets)
          throw refusal(noOtherSecret, 'no_earlier_secret', id)
        const client = { ...before, secretHashes: before.secretHashes.slice(0, 1) }
        await clientStore(trx).update(client, clock.now())
        await events.emitInTransaction(trx, clientSecretRemoved, { client: id })
        return client
      }),
  }

  /** Locks the row and checks the preconditions. */
  async function changing<Done>(
    id: string,
    { isWanted, guard }: ChangeConditions<ListedClient> = {},
    work: (trx: DatabaseOrTransaction, before: ListedClient) => Promise<Done>,
  ): Promise<Done> {
    assertNotInFile(id)
    const change = async (trx: DatabaseOrTransaction) => {
      const lock = async () => {
        const client = await clientStore(trx).byIdForUpdate(id)
        return client && inDatabase(client)
      }
      const done = await changeAsSeen({ isWanted }, { lock, write: (as) => work(trx, as) })
      if (done === null) throw goneMeanwhile(clientNotFound)
      return done
    }
    return transact(db, [], change, guard)
  }

  function assertNotInFile(id: string): void {
    if (clients.isInFile(id)) throw refusal(clientInFile, 'client_in_file', id)
  }

  /** @throws ApiError validationFailed */
  function parsed(entry: Entry, storedHashes: readonly string[]): ListedClient {
    const { client, mistakes } = parseClient(entry, { issuer: config.token.issuer, storedHashes })
    if (!client || mistakes.length > 0) {
      throw new ApiError('validationFailed', {
        details: mistakes,
        reason: { code: 'client_refused' },
      })
    }
    return inDatabase(client)
  }

  /** A client that needs a secret, and has none, gets one. */
  function withSecret(client: ListedClient): WithSecret {
    if (!hasSecrets(client)) return { client: { ...client, secretHashes: [] }, secret: null }
    if (client.secretHashes.length > 0) return { client, secret: null }
    const { secret, hex } = newSecret(random)
    return { client: { ...client, secretHashes: [hex] }, secret }
  }
}

function inDatabase(client: Client): ListedClient {
  return { ...client, source: 'database' }
}

function refusal(problem: Problem, code: ClientReason, client: string): ApiError {
  return new ApiError(problem, { reason: { code, facts: { client } } })
}

function differing(before: Entry, after: Entry): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
