import { type ExpressionBuilder, sql } from 'kysely'
import { splitRoles } from '../authentication/account.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPresentAccount } from '../database/staged.ts'
import type { Role } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'

/** Counts of accounts. */
export interface AccountTally {
  readonly total: number
  readonly byRole: Readonly<Record<string, number>>
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
    /** With counts of the accounts that have each of these roles. Costs the same at any number. */
    async tally(known: readonly Role[]): Promise<AccountTally> {
      const states = (await countedStates(db)).map(({ name, total }) => {
        const [, roles = '', flags = ''] = name.split(' ')
        const [locked, active, mustChange, secondFactor] = flags
        return { total, roles: splitRoles(roles), locked, active, mustChange, secondFactor }
      })
      const sum = (counts: (state: (typeof states)[number]) => boolean) =>
        states.reduce((sum, state) => sum + (counts(state) ? state.total : 0), 0)
      const having = (role: Role) => sum(({ roles }) => roles.includes(role))
      return {
        total: sum(() => true),
        byRole: Object.fromEntries(known.map((role) => [role, having(role)])),
        locked: sum(({ locked }) => locked === '1'),
        disabled: sum(({ active }) => active === '0'),
        secondFactor: sum(({ secondFactor }) => secondFactor === '1'),
        mustChange: sum(({ mustChange }) => mustChange === '1'),
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

/** How many accounts there are of each roles and flags: see migrations/account-states.ts. */
export async function countedStates(
  db: DatabaseOrTransaction,
): Promise<{ name: string; total: number }[]> {
  return db
    .selectFrom('row_counts')
    .select(['name', 'total'])
    .where('name', '>=', 'accounts ')
    .where('name', '<', 'accounts!')
    .execute()
}

/** The very condition of the index accounts_failing, so that it is used. */
function isFailing(eb: ExpressionBuilder<Schema, 'accounts'>) {
  return eb.or([eb('failed_logins', '>', sql.lit(0)), eb('locked_until', 'is not', null)])
}
