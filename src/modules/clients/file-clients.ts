import { versionOf } from '../../core/config/read-file.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Client } from './client-entry.ts'
import { readClients } from './clients-file.ts'
import { clientsChanged } from './events.ts'

/** The clients of CLIENTS_FILE, as this process has read them last. */
export interface FileClients {
  byId(id: string): Client | null
  list(): {
    readonly isConfigured: boolean
    readonly inUse: readonly Client[]
    readonly mistakes: readonly string[]
  }
  refresh(): Promise<void>
}

/** Starts with the clients read with the settings. */
export function createFileClients({
  config,
  events,
  log,
  workers,
}: Pick<Needs, 'config' | 'events' | 'log' | 'workers'>): FileClients {
  const { file, atStart } = config.clients
  let clients = mapOf(atStart)
  let seen: string | undefined
  let mistakes: readonly string[] = []
  if (file !== undefined) workers.keep({ CLIENTS_FILE: atStart })

  return {
    byId: (id) => clients.get(id) ?? null,
    list: () => ({ isConfigured: file !== undefined, inUse: [...clients.values()], mistakes }),

    async refresh() {
      if (file === undefined) return
      const version = await versionOf(file)
      if (version === seen) return
      const isFirst = seen === undefined
      seen = version
      const reading = readClients(file, config.token)
      const isReporter = workers.index === 0 // each worker reads the file
      mistakes = reading.mistakes
      if (mistakes.length > 0) {
        if (isReporter) log.error({ mistakes }, 'the changed file of clients is not taken up')
        return
      }
      const before = clients
      clients = mapOf(reading.clients)
      workers.keep({ CLIENTS_FILE: reading.clients })
      if (isFirst && isSame(before, clients)) return // unchanged since startup
      if (!isReporter) return
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
