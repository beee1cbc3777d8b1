import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'

export type RotationRow = Selectable<Schema['master_key_turns']>

/** The answer of a process about the next master key. */
export interface Answer {
  /** Host and process. */
  readonly instance: string
  readonly knows: boolean
}

/** The tables of master key rotations. */
export function masterKeyRotationStore(db: DatabaseOrTransaction) {
  return {
    last: (): Promise<RotationRow | undefined> =>
      db.selectFrom('master_key_turns').selectAll().orderBy('asked_at', 'desc').executeTakeFirst(),

    async hasEnded(key: string): Promise<boolean> {
      const ended = await db
        .selectFrom('master_key_turns')
        .select('id')
        .where('key_before', '=', key)
        .where('turned_at', 'is not', null)
        .executeTakeFirst()
      return ended !== undefined
    },

    /** Begins a rotation; an unfinished question is dropped. */
    async ask(rotation: Omit<RotationRow, 'turned_at'>): Promise<void> {
      await db.deleteFrom('master_key_turns').where('turned_at', 'is', null).execute()
      await db
        .insertInto('master_key_turns')
        .values({ ...rotation, turned_at: null })
        .execute()
    },

    async giveUp(id: string): Promise<void> {
      await db
        .deleteFrom('master_key_turns')
        .where('id', '=', id)
        .where('turned_at', 'is', null)
        .execute()
    },

    async done(id: string, at: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('master_key_turns')
        .set({ turned_at: at })
        .where('id', '=', id)
        .where('turned_at', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    /** Does nothing if the rotation was cancelled. */
    async answer(turn: string, { instance, knows }: Answer, at: number): Promise<void> {
      const row = { turn, instance, knows: knows ? 1 : 0, at }
      await db
        .insertInto('master_key_nodes')
        .columns(['turn', 'instance', 'knows', 'at'])
        .expression((eb) =>
          eb
            .selectFrom('master_key_turns')
            .select([
              'id as turn',
              eb.val(row.instance).as('instance'),
              eb.cast<number>(eb.val(row.knows), 'bigint').as('knows'),
              eb.cast<number>(eb.val(row.at), 'bigint').as('at'),
            ])
            .where('id', '=', turn),
        )
        .onConflict((conflict) =>
          conflict.columns(['turn', 'instance']).doUpdateSet({ knows: row.knows, at }),
        )
        .execute()
    },

    async answers(turn: string): Promise<Answer[]> {
      const rows = await db
        .selectFrom('master_key_nodes')
        .select(['instance', 'knows'])
        .where('turn', '=', turn)
        .orderBy('instance')
        .execute()
      return rows.map(({ instance, knows }) => ({ instance, knows: knows === 1 }))
    },

    async seal(id: string, sealed: string): Promise<void> {
      await db.updateTable('keys').set({ sealed }).where('id', '=', id).execute()
    },
  }
}
