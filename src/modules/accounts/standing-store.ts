import { type ExpressionBuilder, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Role } from '../../core/policy/principal.ts'

export interface AccountTally {
  readonly total: number
  readonly byRole: Readonly<Record<string, number>>
  readonly locked: number
  readonly disabled: number
  readonly secondFactor: number
  readonly mustChange: number
}

export interface FailingAccount {
  readonly username: Username
  readonly failures: number
  /** Epoch milliseconds; null if not locked out. */
  readonly lockedUntil: number | null
}

export function standingStore(db: DatabaseOrTransaction) {
  const failing = (now: number) =>
    db
      .selectFrom('accounts')
      .where(isFailing)
      .where(isPresentAccount)
      .where((eb) => eb.or([eb('failed_logins', '>', 0), eb('locked_until', '>', now)]))

  /** Without accounts that are also disabled. */
  async function deletedByOwners(): Promise<number> {
    const { total } = await db
      .selectFrom('accounts')
      .where('deletion_at', 'is not', null)
      .where('active_kept', '=', 1)
      .where(isPresentAccount)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return Number(total)
  }

  return {
    /** The cost depends only on the number of pending deletions. */
    async tally(known: readonly Role[]): Promise<AccountTally> {
      const counted = await countedAccounts(db)
      const totalOf = (name: string) => counted.get(name) ?? 0
      return {
        total: totalOf('total'),
        byRole: Object.fromEntries(known.map((role) => [role, totalOf(`role ${role}`)])),
        locked: totalOf('locked'),
        // The stored count includes pending deletions: see 0029-account-deletions.ts.
        disabled: totalOf('disabled') - (await deletedByOwners()),
        secondFactor: totalOf('second_factor'),
        mustChange: totalOf('must_change'),
      }
    },

    async countLocked(now: number): Promise<number> {
      const { total } = await db
        .selectFrom('accounts')
        .where(isFailing)
        .where(isPresentAccount)
        .where('locked_until', '>', now)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    async countFailing(now: number): Promise<number> {
      const { total } = await failing(now)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Latest lockouts first, then most failures. */
    async failing(now: number, offset: number, limit: number): Promise<FailingAccount[]> {
      const rows = await failing(now)
        .select(['username', 'failed_logins', 'locked_until'])
        .orderBy(
          (eb) =>
            eb.case().when('locked_until', '>', now).then(eb.ref('locked_until')).else(0).end(),
          'desc',
        )
        .orderBy('failed_logins', 'desc')
        .orderBy('user_id')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map((row) => ({
        username: row.username as Username,
        failures: row.failed_logins,
        lockedUntil: row.locked_until !== null && row.locked_until > now ? row.locked_until : null,
      }))
    },
  }
}

/** See migrations/account-tallies.ts. */
export async function countedAccounts(
  db: DatabaseOrTransaction,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('row_counts')
    .select(['name', 'total'])
    .where('name', '>=', 'accounts ')
    .where('name', '<', 'accounts!')
    .execute()
  return new Map(rows.map(({ name, total }) => [name.slice('accounts '.length), total]))
}

/** Must equal the condition of the index accounts_failing. */
function isFailing(eb: ExpressionBuilder<Schema, 'accounts'>) {
  return eb.or([eb('failed_logins', '>', sql.lit(0)), eb('locked_until', 'is not', null)])
}
