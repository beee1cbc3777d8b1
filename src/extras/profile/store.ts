import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { FieldValue } from './field.ts'

export interface StoredValue {
  readonly userId: number
  readonly field: string
  readonly value: FieldValue
  readonly uniqueKey: string | null
}

/**
 * Begins the key of a value that another account had when the field became unique; the key of that
 * account follows, and the user id.
 */
const duplicate = 'duplicate '
const digestLength = 43

/** Of a duplicate: the key that another account had. */
const sharedKey = (column: 'unique_key' | 'present.unique_key') =>
  sql<string>`substr(${sql.ref(column)}, ${sql.lit(duplicate.length + 1)}, ${sql.lit(digestLength)})`

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

    /** The accounts that have the unique values; also duplicates, with the key of their value. */
    async holders(field: string, uniqueKeys: readonly string[]) {
      if (uniqueKeys.length === 0) return []
      const ofField = db.selectFrom('profile_values').where('field', '=', field)
      const holding = await ofField
        .select(['user_id', 'unique_key', 'unique_key as key'])
        .where('unique_key', 'in', uniqueKeys)
        .execute()
      const duplicates = await ofField
        .select(['user_id', 'unique_key', sharedKey('unique_key').as('key')])
        .where('unique_key', 'like', `${duplicate}%`)
        .where(sharedKey('unique_key'), 'in', uniqueKeys)
        .execute()
      return [...holding, ...duplicates]
    },

    /**
     * Values that were written before their field became unique, and duplicates of a value that
     * no account holds any more.
     */
    async withoutKey(field: string, limit: number) {
      return db
        .selectFrom('profile_values as present')
        .select(['present.user_id', 'present.value'])
        .where('present.field', '=', field)
        .where(({ and, eb, exists, not, or, selectFrom }) =>
          or([
            eb('present.unique_key', 'is', null),
            and([
              eb('present.unique_key', 'like', `${duplicate}%`),
              not(
                exists(
                  selectFrom('profile_values as holder')
                    .select('holder.user_id')
                    .where('holder.field', '=', field)
                    .where('holder.unique_key', '=', sharedKey('present.unique_key')),
                ),
              ),
            ]),
          ]),
        )
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

    markDuplicate(userId: number, field: string, uniqueKey: string): Promise<void> {
      return this.setKey(userId, field, `${duplicate}${uniqueKey} ${userId}`)
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
