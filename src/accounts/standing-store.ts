import { type ExpressionBuilder, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database/connect.ts'
import type { Schema } from '../database/schema.ts'
import { isPresentAccount } from '../database/unfinished.ts'
import type { Role } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'
import { splitRoles } from './account.ts'

/** Counts of accounts. */
export interface AccountTally {
  readonly total: number
  readonly byRole: Readonly<Record<Role, number>>
  readonly locked: number
  readonly disabled: number
  readonly secondFactor: number
  readonly mustChange: number
}

/** An account that has failed to log in, for the automatic lock. */
export interface FailingAccount {
  readonly username: Username
  readonly failures: number
  /** Epoch milliseconds; null where it is not locked. */
  readonly lockedUntil: number | null
}

/** In what state the accounts are, for administrators. */
export function standingStore(db: DatabaseOrTransaction) {
  const failing = (now: number) =>
    db
      .selectFrom('accounts')
      .where(isFailing)
      .where(isPresentAccount)
      .where((eb) => eb.or([eb('failed_logins', '>', 0), eb('locked_until', '>', now)]))

  return {
    /** Read from an index alone. */
    async tally(): Promise<AccountTally> {
      const rows = await db
        .selectFrom('accounts')
        .where(isPresentAccount)
        .select(['roles', 'locked', 'active', 'must_change', 'second_factor'])
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .groupBy(['roles', 'locked', 'active', 'must_change', 'second_factor'])
        .execute()
      const sum = (counts: (row: (typeof rows)[number]) => boolean) =>
        rows.reduce((so_far, row) => so_far + (counts(row) ? row.total : 0), 0)
      const having = (role: Role) => sum((row) => splitRoles(row.roles).includes(role))
      return {
        total: sum(() => true),
        byRole: { USER: having('USER'), EDITOR: having('EDITOR'), ADMIN: having('ADMIN') },
        locked: sum((row) => row.locked === 1),
        disabled: sum((row) => row.active === 0),
        secondFactor: sum((row) => row.second_factor === 1),
        mustChange: sum((row) => row.must_change === 1),
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

    /** The latest locks first, then whoever failed most. */
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
        username: row.username as Username, // canonical since it was stored
        failures: row.failed_logins,
        lockedUntil: row.locked_until !== null && row.locked_until > now ? row.locked_until : null,
      }))
    },
  }
}

/** The very condition of the index accounts_failing, so that it is used. */
function isFailing(eb: ExpressionBuilder<Schema, 'accounts'>) {
  return eb.or([eb('failed_logins', '>', sql.lit(0)), eb('locked_until', 'is not', null)])
}
