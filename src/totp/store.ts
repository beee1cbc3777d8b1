import type { DatabaseOrTransaction } from '../database/database.ts'
import { firstUse, type UsedSteps, useOf } from './used-steps.ts'

/** The second factor of an account; each secret is encrypted under the data key. */
export interface StoredFactor {
  /** The confirmed secret; null while only an enrolment has begun. */
  readonly sealed: string | null
  /** The secret of an enrolment that waits for its first code. */
  readonly pending: string | null
}

export function factorStore(db: DatabaseOrTransaction) {
  return {
    async of(userId: number): Promise<StoredFactor | null> {
      const row = await db
        .selectFrom('second_factors')
        .select(['sealed', 'pending'])
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row ? { sealed: row.sealed, pending: row.pending } : null
    },

    async begin(userId: number, pending: string): Promise<void> {
      await db
        .insertInto('second_factors')
        .values({ user_id: userId, sealed: null, pending, last_step: 0 })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ pending }))
        .execute()
    },

    /** Makes the pending secret the factor; false if that secret is no longer pending. */
    async confirm(userId: number, pending: string, step: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({ sealed: pending, pending: null, ...columnsOf(firstUse(step)) })
        .where('user_id', '=', userId)
        .where('pending', '=', pending)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    /**
     * Uses up one step; false if it was used before. The writing statement compares and sets: if
     * another code was used since the read, it changes nothing, and the read is repeated.
     */
    async useStep(userId: number, sealed: string, step: number): Promise<boolean> {
      for (;;) {
        const row = await db
          .selectFrom('second_factors')
          .select(['last_step', 'used_steps'])
          .where('user_id', '=', userId)
          .where('sealed', '=', sealed)
          .executeTakeFirst()
        const used = row && useOf(step, { last: row.last_step, bits: row.used_steps })
        if (!used) return false
        const { numUpdatedRows } = await db
          .updateTable('second_factors')
          .set(columnsOf(used))
          .where('user_id', '=', userId)
          .where('sealed', '=', sealed)
          .where('last_step', '=', row.last_step)
          .where('used_steps', '=', row.used_steps)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows > 0n) return true
      }
    },

    /** Deletes an enrolment that has begun, if the account has no factor. */
    async abandon(userId: number): Promise<void> {
      await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .where('sealed', 'is', null)
        .execute()
    },

    async remove(userId: number): Promise<void> {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
      await db.deleteFrom('second_factors').where('user_id', '=', userId).execute()
    },

    async replaceCodes(userId: number, digests: readonly string[]): Promise<void> {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
      await db
        .insertInto('recovery_codes')
        .values(digests.map((code) => ({ user_id: userId, code })))
        .execute()
    },

    /** Uses up a recovery code; false if it is unknown or used. */
    async useCode(userId: number, code: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('recovery_codes')
        .where('user_id', '=', userId)
        .where('code', '=', code)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}

function columnsOf({ last, bits }: UsedSteps): { last_step: number; used_steps: number } {
  return { last_step: last, used_steps: bits }
}
