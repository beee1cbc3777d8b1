import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forNoKeyUpdate } from '../../core/database/transactions.ts'
import { type Client, parseClient, publicEntry } from './client-entry.ts'

const byId = prepared((db, { id }: Parameters<{ id: string }>) =>
  db.selectFrom('clients').selectAll().where('id', '=', id),
)

/** The clients of the database. */
export function clientStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: string): Promise<Client | null> {
      const row = await byId.first(db, { id })
      return row ? clientOf(row) : null
    },

    /** Locks the row on PostgreSQL. */
    async byIdForUpdate(id: string): Promise<Client | null> {
      const row = db.selectFrom('clients').select('id').where('id', '=', id)
      const held = await forNoKeyUpdate(db, 'clients', row).executeTakeFirst()
      return held ? this.byId(id) : null
    },

    /** By id. */
    async all(): Promise<Client[]> {
      const rows = await db.selectFrom('clients').selectAll().orderBy('id').execute()
      return rows.map(clientOf)
    },

    async insert(client: Client, now: number): Promise<void> {
      const row = { id: client.id, ...columnsOf(client), created_at: now, updated_at: now }
      await db.insertInto('clients').values(row).execute()
    },

    async update(client: Client, now: number): Promise<void> {
      await db
        .updateTable('clients')
        .set({ ...columnsOf(client), updated_at: now })
        .where('id', '=', client.id)
        .execute()
    },

    async remove(id: string): Promise<void> {
      await db.deleteFrom('clients').where('id', '=', id).execute()
    },
  }
}

function columnsOf(client: Client) {
  return {
    entry: JSON.stringify(publicEntry(client)),
    secret_hashes: client.secretHashes.join(' '),
  }
}

/** The row was written by this file: its entry was checked before. */
function clientOf({ entry, id, secret_hashes }: Selectable<Schema['clients']>): Client {
  const storedHashes = secret_hashes === '' ? [] : secret_hashes.split(' ')
  const { client } = parseClient(JSON.parse(entry), { storedHashes })
  if (!client) throw new Error(`the client ${id} of the database cannot be read`)
  return client
}
