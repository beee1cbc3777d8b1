import { hash, timingSafeEqual } from 'node:crypto'
import { versionOf } from '../../core/config/read-file.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Client, maxSecrets } from './client-entry.ts'
import { readClients } from './clients-file.ts'
import { clientsChanged } from './events.ts'

/** As last read by this process. docs/adr/0034 */
export interface Clients {
  /** Exact match. */
  byId(id: string): Client | null
  ids(): string[]
  /** The active clients, and the mistakes of a rejected file. */
  list(): ListedClients
  /** Constant time, also for null. */
  hasSecret(client: Client | null, texts: readonly string[]): boolean
  /** Rereads a changed file. An invalid file is logged once, and the previous clients stay. */
  refresh(): Promise<void>
}

export interface ListedClients {
  readonly isConfigured: boolean
  readonly inUse: readonly Client[]
  /** Non-empty if the changed file is invalid. */
  readonly mistakes: readonly string[]
}

// Matches no text; pads comparisons for clients with fewer secrets or none.
const noHash = '0'.repeat(64)

/** Starts with the clients read with the settings. */
export function createClients({
  config,
  events,
  log,
  workers,
}: Pick<Needs, 'config' | 'events' | 'log' | 'workers'>): Clients {
  const { file, atStart } = config.clients
  let clients = mapOf(atStart)
  let seen: string | undefined
  let mistakes: readonly string[] = []
  if (file !== undefined) workers.keep({ CLIENTS_FILE: atStart })

  return {
    byId: (id) => clients.get(id) ?? null,
    ids: () => [...clients.keys()],
    list: () => ({ isConfigured: file !== undefined, inUse: [...clients.values()], mistakes }),

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

    async refresh() {
      if (file === undefined) return
      const version = await versionOf(file)
      if (version === seen) return
      const isFirst = seen === undefined
      seen = version
      const reading = readClients(file, config.token)
      const tells = workers.index === 0 // each worker reads the file
      mistakes = reading.mistakes
      if (mistakes.length > 0) {
        if (tells) log.error({ mistakes }, 'the changed file of clients is not taken up')
        return
      }
      const before = clients
      clients = mapOf(reading.clients)
      workers.keep({ CLIENTS_FILE: reading.clients })
      if (isFirst && isSame(before, clients)) return // unchanged since startup
      if (!tells) return
      for (const warning of reading.warnings) log.warn(warning)
      events.emit(clientsChanged, { clients: [...clients.keys()] })
    },
  }
}

function mapOf(clients: readonly Client[]): ReadonlyMap<string, Client> {
  return new Map(clients.map((client) => [client.id, client]))
}

function isSame(left: ReadonlyMap<string, Client>, right: ReadonlyMap<string, Client>): boolean {
  return JSON.stringify([...left]) === JSON.stringify([...right])
}
