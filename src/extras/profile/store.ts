import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { FieldValue } from './field.ts'

export interface StoredValue {
  readonly userId: number
  readonly field: string
  readonly value: FieldValue
  readonly uniqueKey: string | null
}

/** A key of a value that another account had when the field became unique. */
const duplicate = 'duplicate '

export function profileStore(db: DatabaseOrTransaction) {
  return {
    /** By user and field; also values whose field is not in the file any more. */
    async of(userIds: readonly number[]) {
      if (userIds.length === 0) return []
      const rows = await db
        .selectFrom('profile_values')
        .select(['user_id', 'field', 'value'])
        .where('user_id', 'in', userIds)
        .orderBy('user_id')
        .orderBy('field')
        .execute()
      return rows.map(({ user_id, field, value }) => ({
        userId: user_id,
        field,
        value: JSON.parse(value) as FieldValue, // as stored
      }))
    },

    /** @throws UniqueViolation if another account has the value */
    async set({ userId, field, value, uniqueKey }: StoredValue): Promise<void> {
      const changed = { value: JSON.stringify(value), unique_key: uniqueKey }
      await db
        .insertInto('profile_values')
        .values({ user_id: userId, field, ...changed })
        .onConflict((conflict) => conflict.columns(['user_id', 'field']).doUpdateSet(changed))
        .execute()
    },

    async remove(userId: number, field: string): Promise<void> {
      await db
        .deleteFrom('profile_values')
        .where('user_id', '=', userId)
        .where('field', '=', field)
        .execute()
    },

    /** The accounts that have the unique values. */
    async holders(field: string, uniqueKeys: readonly string[]) {
      if (uniqueKeys.length === 0) return []
      return db
        .selectFrom('profile_values')
        .select(['user_id', 'unique_key'])
        .where('field', '=', field)
        .where('unique_key', 'in', uniqueKeys)
        .execute()
    },

    /** Values that were written before their field became unique. */
    async withoutKey(field: string, limit: number) {
      return db
        .selectFrom('profile_values')
        .select(['user_id', 'value'])
        .where('field', '=', field)
        .where('unique_key', 'is', null)
        .limit(limit)
        .execute()
    },

    async setKey(userId: number, field: string, uniqueKey: string): Promise<void> {
      await db
        .updateTable('profile_values')
        .set({ unique_key: uniqueKey })
        .where('user_id', '=', userId)
        .where('field', '=', field)
        .execute()
    },

    markDuplicate(userId: number, field: string): Promise<void> {
      return this.setKey(userId, field, `${duplicate}${userId}`)
    },

    /** How many values each field has, and how many of these another account has too. */
    async counts() {
      const rows = await db
        .selectFrom('profile_values')
        .select('field')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .select(({ fn }) =>
          fn
            .count<number>('field')
            .filterWhere('unique_key', 'like', `${duplicate}%`)
            .as('duplicates'),
        )
        .groupBy('field')
        .orderBy('field')
        .execute()
      return rows.map(({ field, total, duplicates }) => ({
        ...{ field, total: Number(total), duplicates: Number(duplicates) },
      }))
    },
  }
}
