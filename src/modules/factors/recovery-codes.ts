import { base32 } from '../../core/crypto/base32.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'

const codeCount = 10
const codeBytes = 10 // 80 bits: a digest cannot be brute-forced

/** Ten codes like `ABCD-EFGH-IJKL-MNOP`; single use. */
export function createRecoveryCodes(random: Random): string[] {
  return Array.from({ length: codeCount }, () =>
    (base32(random.bytes(codeBytes)).match(/.{4}/g) ?? []).join('-'),
  )
}

const used = prepared((db, { userId, code }: Parameters<{ userId: number; code: string }>) =>
  db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code', '=', code)
    .returning('user_id'),
)

export function recoveryCodesIn(db: DatabaseOrTransaction) {
  const removeAll = async (userId: number): Promise<void> => {
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  }
  return {
    removeAll,

    async replace(userId: number, codes: readonly string[], now: number): Promise<void> {
      await removeAll(userId)
      const rows = codes.map((code) => ({ user_id: userId, code: digestOf(code), created_at: now }))
      await db.insertInto('recovery_codes').values(rows).execute()
    },

    /** False if unknown or used. */
    async use(userId: number, code: string): Promise<boolean> {
      return (await used.first(db, { userId, code: digestOf(code) })) !== undefined
    },

    /** Epoch milliseconds. */
    async removeSince(userId: number, since: number): Promise<void> {
      await db
        .deleteFrom('recovery_codes')
        .where('user_id', '=', userId)
        .where('created_at', '>=', since)
        .execute()
    },

    async count(userId: number): Promise<number> {
      const { total } = await db
        .selectFrom('recovery_codes')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return Number(total)
    },
  }
}

/** Ignores case, spaces and dashes. */
function digestOf(code: string): string {
  return digest(code.toUpperCase().replace(/[\s-]/g, ''))
}
