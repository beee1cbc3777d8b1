import { hash, timingSafeEqual } from 'node:crypto'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { KeptRows } from '../../core/database/kept-rows.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Client, isClientId, maxSecrets } from './client-entry.ts'
import { createFileClients } from './file-clients.ts'
import { clientStore } from './store.ts'

/** The clients of CLIENTS_FILE and of the database; the file wins. docs/adr/0034 */
export interface Clients {
  /** Exact match; null for a disabled one, too. @param reader of a transaction, which sees the row */
  find(id: string, reader?: DatabaseOrTransaction): Promise<Client | null>
  /** Also a disabled one. */
  listed(id: string): Promise<ListedClient | null>
  isInFile(id: string): boolean
  list(): Promise<ClientList>
  /** Constant time, also for null. */
  hasSecret(client: Client | null, texts: readonly string[]): boolean
  /** Rereads a changed file. An invalid file is logged once, and the previous clients stay. */
  refresh(): Promise<void>
}

export type ListedClient = Client & { readonly source: 'file' | 'database' }

export interface ClientList {
  readonly isConfigured: boolean
  /** In the order of the file; then the clients of the database, by id. */
  readonly clients: readonly ListedClient[]
  /** Non-empty if the changed file is invalid. */
  readonly mistakes: readonly string[]
}

/** An unknown id is kept, too. */
interface Known {
  readonly client: Client | null
}

// Matches no text; pads comparisons for clients with fewer secrets or none.
const noHash = '0'.repeat(64)

export function createClients(
  deps: Pick<Needs, 'config' | 'db' | 'events' | 'feed' | 'log' | 'workers'>,
): Clients {
  const { db, feed } = deps
  const file = createFileClients(deps)
  const known = new KeptRows<Known>(feed, () => ['clients'])

  async function stored(id: string, reader: DatabaseOrTransaction): Promise<Client | null> {
    if (!isClientId(id)) return null
    if (reader.isTransaction) return clientStore(reader).byId(id)
    const read = () => known.read(id, async () => ({ client: await clientStore(db).byId(id) }))
    return (known.get(id) ?? (await read())).client
  }

  return {
    async find(id, reader = db) {
      const client = file.byId(id) ?? (await stored(id, reader))
      return client?.application?.isDisabled ? null : client
    },

    async listed(id) {
      const inFile = file.byId(id)
      if (inFile) return { ...inFile, source: 'file' }
      const client = await stored(id, db)
      return client && { ...client, source: 'database' }
    },

    isInFile: (id) => file.byId(id) !== null,

    async list() {
      const { isConfigured, inUse, mistakes } = file.list()
      const others = (await clientStore(db).all()).filter(({ id }) => !file.byId(id))
      const clients = [
        ...inUse.map((client) => ({ ...client, source: 'file' as const })),
        ...others.map((client) => ({ ...client, source: 'database' as const })),
      ]
      return { isConfigured, clients, mistakes }
    },

    hasSecret(client, texts) {
      let isRight = false
      for (const text of texts) {
        const given = hash('sha256', text, 'buffer')
        for (let index = 0; index < maxSecrets; index += 1) {
          const wanted = Buffer.from(client?.secretHashes[index] ?? noHash, 'hex')
          isRight = timingSafeEqual(given, wanted) || isRight
        }
      }
      return isRight
    },

    refresh: file.refresh,
  }
}
