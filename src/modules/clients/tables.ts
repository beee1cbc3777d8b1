import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  { name: 'clients', key: ['id'], namesNone: ['id', 'entry', 'secret_hashes'] },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    clients: ClientsTable
  }
}

interface ClientsTable {
  id: string
  /** JSON as in CLIENTS_FILE, without the hashes. */
  entry: string
  /** Hex digests, the newest first, joined by spaces. */
  secret_hashes: string
  /** Epoch milliseconds. */
  created_at: number
  updated_at: number
}
