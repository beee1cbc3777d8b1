import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { numbersWith } from './indexes.ts'
import type { SubjectRow } from './store.ts'

export type ErasureRow = Selectable<Schema['erasures']>

export function erasureStore(db: DatabaseOrTransaction) {
  return {
    removeKeys: (subjects: readonly string[]): Promise<SubjectRow[]> =>
      db
        .deleteFrom('audit_subjects')
        .where('subject', 'in', subjects)
        .returning(['subject', 'pseudonym', 'sealed'])
        .execute(),

    async add(rows: readonly Omit<ErasureRow, 'id' | 'cleared_at'>[]): Promise<void> {
      await db.insertInto('erasures').values(rows).execute()
    },

    async pseudonyms(): Promise<string[]> {
      const rows = await db.selectFrom('erasures').select('pseudonym').execute()
      return rows.flatMap(({ pseudonym }) => pseudonym ?? [])
    },

    /** The indexes that erasures still have to empty. */
    async indexes(): Promise<Set<string>> {
      const rows = await db.selectFrom('erasures').select(['actor_index', 'target_index']).execute()
      return new Set(rows.flatMap((row) => [row.actor_index ?? [], row.target_index ?? []].flat()))
    },

    /** An erasure that is not cleared, or that began before `endedBefore` and can end. */
    due: (endedBefore: number): Promise<ErasureRow | undefined> =>
      db
        .selectFrom('erasures')
        .selectAll()
        .where((eb) => eb.or([eb('cleared_at', 'is', null), eb('at', '<', endedBefore)]))
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),

    /** Empties the indexes of up to `limit` records per side; returns the number of records. */
    async clearIndexes(
      { actor_index, target_index }: Pick<ErasureRow, 'actor_index' | 'target_index'>,
      limit: number,
    ): Promise<number> {
      const some = (column: 'actor_index' | 'target_index', index: string) =>
        db
          .updateTable('audit_records')
          .set(
            column === 'actor_index'
              ? { actor_index: null, address_index: null } // the address belongs to the actor
              : { target_index: null },
          )
          .where('number', 'in', numbersWith(db, column, index, limit))
          .executeTakeFirst()
      const acted = actor_index === null ? null : await some('actor_index', actor_index)
      const concerned = target_index === null ? null : await some('target_index', target_index)
      return Number((acted?.numUpdatedRows ?? 0n) + (concerned?.numUpdatedRows ?? 0n))
    },

    async markCleared(id: number, now: number): Promise<void> {
      await db.updateTable('erasures').set({ cleared_at: now }).where('id', '=', id).execute()
    },

    async end(id: number): Promise<void> {
      await db.deleteFrom('erasures').where('id', '=', id).execute()
    },

    async subjectsAfter(subject: string, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('audit_subjects')
        .select('subject')
        .where('subject', '>', subject)
        .orderBy('subject')
        .limit(limit)
        .execute()
      return rows.map((row) => row.subject)
    },

    /** The user ids without a user, or with a pending deletion. */
    async gone(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return []
      const rows = await db
        .selectFrom('users')
        .select('id')
        .where('id', 'in', ids)
        .where((eb) => eb.or([eb('import_id', 'is', null), eb('import_id', '>', 0)]))
        .execute()
      const there = new Set(rows.map(({ id }) => id))
      return ids.filter((id) => !there.has(id))
    },
  }
}
