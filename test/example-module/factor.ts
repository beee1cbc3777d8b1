import { digest } from '../../src/core/crypto/digest.ts'
import type { Random } from '../../src/core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { Clock } from '../../src/core/lib/clock.ts'
import type { NewFactor } from '../../src/modules/factors/factors.ts'
import type { FactorKind } from '../../src/modules/factors/kinds.ts'
import type { NoteTables } from './tables.ts'

const amr = ['hwk', 'mfa'] as const

/** A kind of second factor: words on a note. A person can have several notes, each with a name. */
export function createNoteKind({ clock }: { readonly clock: Clock }): FactorKind {
  return {
    name: 'note_code',
    tables: ['note_factors'],

    async of(db, userId) {
      const rows = await factorsOf(db).selectAll().where('user_id', '=', userId).execute()
      return rows.map((row) => ({
        ...{ id: row.id, name: row.name, isConfirmed: true },
        ...{ createdAt: row.created_at, lastUsedAt: row.used_at },
      }))
    },

    async prove(trx, { userId }, sent) {
      const { numUpdatedRows } = await trx
        .withTables<NoteTables>()
        .updateTable('note_factors')
        .set({ used_at: clock.now() })
        .where('user_id', '=', userId)
        .where('code', '=', digest(String(sent)))
        .executeTakeFirst()
      if (numUpdatedRows > 0n) return amr
      throw new ApiError('invalidCredentials', { reason: { code: 'x-note-code-wrong' } })
    },

    async remove(trx, _userId, id) {
      await removal(trx).where('id', '=', id).execute()
    },

    async removeSince(trx, userId, since) {
      const { numDeletedRows } = await removal(trx)
        .where('user_id', '=', userId)
        .where('created_at', '>=', since)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

/** What `add` of the factors stores. */
export function newNote(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  userId: number,
  { name, code }: { readonly name: string; readonly code: string },
): NewFactor {
  const id = Buffer.from(random.bytes(16)).toString('base64url')
  const row = { id, user_id: userId, name, code: digest(code), created_at: clock.now() }
  return {
    ...{ id, amr },
    async store(trx) {
      await trx.withTables<NoteTables>().insertInto('note_factors').values(row).execute()
    },
  }
}

function factorsOf(db: DatabaseOrTransaction) {
  return db.withTables<NoteTables>().selectFrom('note_factors')
}

function removal(trx: DatabaseOrTransaction) {
  return trx.withTables<NoteTables>().deleteFrom('note_factors')
}
