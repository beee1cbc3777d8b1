import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { firstUse, type UsedSteps, useOf } from './used-steps.ts'

/** Secrets are encrypted with the data key. */
export interface StoredTotp {
  /** Null before confirmation. */
  readonly sealed: string | null
  /** Waits for its first code. */
  readonly pending: string | null
  /** Epoch milliseconds; null before the confirmation, or before version 0.9.0. */
  readonly confirmedAt: number | null
  /** The latest accepted step. */
  readonly lastStep: number
}

type OfUser = Parameters<{ userId: number }>
type Factor = { readonly userId: number; readonly sealed: string }
type Use = Factor & {
  readonly last: number
  readonly bits: number
  readonly newLast: number
  readonly newBits: number
}

const ofUser = prepared((db, { userId }: OfUser) =>
  db
    .selectFrom('second_factors')
    .select(['sealed', 'pending', 'confirmed_at', 'last_step'])
    .where('user_id', '=', userId),
)
const uses = prepared((db, { userId, sealed }: Parameters<Factor>) =>
  db
    .selectFrom('second_factors')
    .select(['last_step', 'used_steps'])
    .where('user_id', '=', userId)
    .where('sealed', '=', sealed),
)
const used = prepared((db, use: Parameters<Use>) =>
  db
    .updateTable('second_factors')
    .set({ last_step: use.newLast, used_steps: use.newBits })
    .where('user_id', '=', use.userId)
    .where('sealed', '=', use.sealed)
    .where('last_step', '=', use.last)
    .where('used_steps', '=', use.bits)
    .returning('user_id'),
)

export function totpStore(db: DatabaseOrTransaction) {
  return {
    async of(userId: number): Promise<StoredTotp | null> {
      const row = await ofUser.first(db, { userId })
      if (!row) return null
      const { sealed, pending, confirmed_at: confirmedAt, last_step: lastStep } = row
      return { sealed, pending, confirmedAt, lastStep }
    },

    async begin(userId: number, pending: string): Promise<void> {
      await db
        .insertInto('second_factors')
        .values({ user_id: userId, sealed: null, pending, last_step: 0 })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ pending }))
        .execute()
    },

    async insertConfirmed(
      secrets: readonly { readonly userId: number; readonly sealed: string }[],
      now: number,
    ): Promise<void> {
      if (secrets.length === 0) return
      const rows = secrets.map(({ userId, sealed }) => ({
        ...{ user_id: userId, sealed, pending: null, last_step: 0, confirmed_at: now },
      }))
      await db.insertInto('second_factors').values(rows).execute()
    },

    /** False if the secret is no longer pending. */
    async confirm(
      userId: number,
      pending: string,
      {
        sealed,
        step,
        confirmedAt,
      }: { readonly sealed: string; readonly step: number; readonly confirmedAt: number },
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({
          sealed,
          pending: null,
          confirmed_at: confirmedAt,
          ...columnsOf(firstUse(step)),
        })
        .where('user_id', '=', userId)
        .where('pending', '=', pending)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    /** False if used before. Compare-and-set: repeats the read if another code was used since. */
    async useStep(userId: number, sealed: string, step: number): Promise<boolean> {
      for (;;) {
        const row = await uses.first(db, { userId, sealed })
        const use = row && useOf(step, { last: row.last_step, bits: row.used_steps })
        if (!use) return false
        const change = { last: row.last_step, bits: row.used_steps, newLast: use.last }
        if (await used.first(db, { userId, sealed, ...change, newBits: use.bits })) return true
      }
    },

    /** Only if unconfirmed. */
    async abandon(userId: number): Promise<void> {
      await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .where('sealed', 'is', null)
        .execute()
    },

    async remove(userId: number): Promise<void> {
      await db.deleteFrom('second_factors').where('user_id', '=', userId).execute()
    },

    /**
     * Removes what was added at `since` (epoch milliseconds) or later, and any enrolment. Returns
     * whether a confirmed secret was removed.
     */
    async removeSince(userId: number, since: number): Promise<boolean> {
      const { confirmedAt = null } = (await this.of(userId)) ?? {}
      if (confirmedAt !== null && confirmedAt >= since) {
        await this.remove(userId)
        return true
      }
      await this.abandon(userId)
      await db
        .updateTable('second_factors')
        .set({ pending: null })
        .where('user_id', '=', userId)
        .execute()
      return false
    },
  }
}

function columnsOf({ last, bits }: UsedSteps): { last_step: number; used_steps: number } {
  return { last_step: last, used_steps: bits }
}
