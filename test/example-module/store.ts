import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { forNoKeyUpdate } from '../../src/core/database/transactions.ts'
import type { NoteTables } from './tables.ts'

export interface Note {
  readonly id: number
  readonly ownerId: number
  readonly text: string
  readonly locked: boolean
}

const columns = ['id', 'owner_id', 'text', 'locked'] as const

export function noteStore(db: DatabaseOrTransaction) {
  const own = db.withTables<NoteTables>()
  const one = (id: number) => own.selectFrom('notes').select(columns).where('id', '=', id)
  return {
    byId: async (id: number) => toNote(await one(id).executeTakeFirst()),
    /** Reads and locks the row until the transaction ends. */
    byIdForUpdate: async (id: number) =>
      toNote(await forNoKeyUpdate(db, 'notes', one(id)).executeTakeFirst()),

    async count(): Promise<number> {
      const query = own.selectFrom('notes').select((eb) => eb.fn.countAll<number>().as('total'))
      return Number((await query.executeTakeFirstOrThrow()).total)
    },

    async ofUser(userId: number): Promise<{ readonly id: number; readonly text: string }[]> {
      const query = own.selectFrom('notes').select(['id', 'text'])
      return query.where('owner_id', '=', userId).orderBy('id').execute()
    },

    /** The users who have more keys than a number. */
    async withKeysBeyond(most: number): Promise<number[]> {
      const query = own.selectFrom('note_keys').select('user_id').groupBy('user_id')
      const rows = await query
        .having((eb) => eb.fn.countAll(), '>', most)
        .limit(20)
        .execute()
      return rows.map(({ user_id }) => user_id)
    },

    async insert(ownerId: number, text: string, createdAt: number): Promise<Note> {
      const values = { owner_id: ownerId, text, created_at: createdAt }
      const query = own.insertInto('notes').values(values).returning('id')
      const { id } = await query.executeTakeFirstOrThrow()
      return { id, ownerId, text, locked: false }
    },

    /** Answers whether the note still equalled `seen`; otherwise nothing is written. */
    async update({ id, text, locked }: Note, seen: Note): Promise<boolean> {
      const { numUpdatedRows } = await own
        .updateTable('notes')
        .set({ text, locked: locked ? 1 : 0 })
        .where('id', '=', id)
        .where('text', '=', seen.text)
        .where('locked', '=', seen.locked ? 1 : 0)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    async insertKey(id: string, userId: number, createdAt: number): Promise<void> {
      const values = { id, user_id: userId, created_at: createdAt }
      await own.insertInto('note_keys').values(values).execute()
    },

    async ownerOfKey(id: string): Promise<number | null> {
      const query = own.selectFrom('note_keys').select('user_id').where('id', '=', id)
      return (await query.executeTakeFirst())?.user_id ?? null
    },
  }
}

export function badgeStore(db: DatabaseOrTransaction) {
  const own = db.withTables<NoteTables>()
  return {
    async of(userId: number): Promise<{ digest: string; createdAt: number } | null> {
      const query = own.selectFrom('note_badges').select(['words', 'created_at'])
      const row = await query.where('user_id', '=', userId).executeTakeFirst()
      return row ? { digest: row.words, createdAt: row.created_at } : null
    },

    async insert(userId: number, digest: string, createdAt: number): Promise<void> {
      const values = { user_id: userId, words: digest, created_at: createdAt }
      await own.insertInto('note_badges').values(values).execute()
    },

    /** Answers whether there was one. */
    async remove(userId: number): Promise<boolean> {
      const query = own.deleteFrom('note_badges').where('user_id', '=', userId)
      return (await query.executeTakeFirst()).numDeletedRows === 1n
    },
  }
}

export async function endKeysOf(trx: DatabaseOrTransaction, userId: number): Promise<void> {
  const own = trx.withTables<NoteTables>()
  await own.deleteFrom('note_keys').where('user_id', '=', userId).execute()
}

/** Deletes a limited number of notes that are older than a time; answers how many. */
export async function purgeNotes(
  db: DatabaseOrTransaction,
  until: number,
  most: number,
): Promise<number> {
  const own = db.withTables<NoteTables>()
  const old = own.selectFrom('notes').select('id').where('created_at', '<=', until).limit(most)
  const { numDeletedRows } = await own.deleteFrom('notes').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

interface NoteRow {
  readonly id: number
  readonly owner_id: number
  readonly text: string
  readonly locked: number
}

function toNote(row: NoteRow | undefined): Note | null {
  if (!row) return null
  return { id: row.id, ownerId: row.owner_id, text: row.text, locked: row.locked === 1 }
}
