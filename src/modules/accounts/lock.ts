import type { Expression, ExpressionBuilder } from 'kysely'
import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { offsetOf, type Page } from '../../core/http/lists/paging.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Account } from '../authentication/account.ts'
import type { FailuresInARow } from '../throttle/limits.ts'
import { type FailingAccount, standingStore } from './standing-store.ts'

const maxNames = 10_000

/**
 * The lockout of spec 8: after LOGIN_LOCK_AFTER failed logins in a row, from any address, an
 * account refuses logins for LOGIN_LOCK_SECONDS. It refuses new logins and Basic, and ends sign-ins that
 * wait for a further proof: sessions and tokens stay valid, so that an attacker who guesses passwords
 * cannot log the owner out. The lock that an administrator sets is the flag `locked`.
 */
export interface AutomaticLock extends FailuresInARow {
  /**
   * Ends the lockout and clears the failures; answers the user's id, or null if there is no
   * account.
   */
  lift(trx: DatabaseOrTransaction, username: Username): Promise<number | null>
  /**
   * One page of the accounts that have failures in a row or are locked out; the latest locks first.
   */
  failing(page: Page): Promise<{ readonly total: number; readonly data: FailingAccount[] }>
  /** How many accounts are locked out now. */
  count(): Promise<number>
  /** Usernames of failing accounts, at most 10,000. A caller compares them with stored digests. */
  failingNames(): Promise<Username[]>
  /** Clears the failures after a success that Basic remembered: see `BasicDeps`. */
  forget(account: Pick<Account, 'username' | 'failedLogins'>): Promise<void>
}

export interface AutomaticLockDeps {
  readonly config: Pick<Config, 'login'>
  readonly db: DatabaseOrTransaction
  readonly clock: Clock
  /** Ends the sign-ins of an account that wait for a further proof, in the transaction of the lock. */
  readonly endSignIns: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
}

interface Failure {
  readonly username: string
  readonly now: number
  /** The count of failures before the one that locks. */
  readonly last: number
  readonly until: number
}

// One statement: parallel failures are all counted.
const counting = (db: DatabaseOrTransaction, { username, last, until }: Parameters<Failure>) =>
  db
    .updateTable('accounts')
    .set((eb) => {
      const locks = eb('failed_logins', '>=', last)
      return {
        failed_logins: eb
          .case()
          .when(locks)
          .then(0)
          .else(eb('failed_logins', '+', 1))
          .end(),
        locked_until: eb.case().when(locks).then(until).else(eb.ref('locked_until')).end(),
      }
    })
    .where('username', '=', username)
    .where(isPresentAccount)
    .returning(['user_id', 'failed_logins'])
// A login during a lockout is refused without a check, so it does not count. A reset is checked.
const counted = prepared((db, failure: Parameters<Failure>) =>
  counting(db, failure).where(isOpen(failure.now)),
)
const countedAtReset = prepared((db, failure: Parameters<Failure>) => counting(db, failure))
const forgotten = prepared((db, { username, now }: Parameters<Pick<Failure, 'username' | 'now'>>) =>
  db
    .updateTable('accounts')
    .set({ failed_logins: 0, locked_until: null })
    .where('username', '=', username)
    .where(isOpen(now)),
)

export function createAutomaticLock(deps: AutomaticLockDeps): AutomaticLock {
  const { config, db, clock, endSignIns } = deps
  const { after, seconds } = config.login.lock
  const isOn = after > 0

  return {
    async failed(trx, username, during) {
      if (!isOn) return null
      const now = clock.now()
      const until = Math.min(now + seconds * 1000, Number.MAX_SAFE_INTEGER)
      const count = during === 'reset' ? countedAtReset : counted
      const row = await count.first(trx, { username, now, last: after - 1, until })
      if (row?.failed_logins !== 0) return null
      // These sign-ins passed the password before the lock. They must not continue after an unlock.
      await endSignIns(trx, row.user_id)
      return row.user_id
    },

    async succeeded(trx, username, account) {
      const isForgotten = account?.failedLogins === 0 && account.lockedUntil === null
      if (!isOn || isForgotten) return
      await forgotten.all(trx, { username, now: clock.now() })
    },

    async lift(trx, username) {
      const row = await trx
        .updateTable('accounts')
        .set({ failed_logins: 0, locked_until: null })
        .where('username', '=', username)
        .where(isPresentAccount)
        .returning('user_id')
        .executeTakeFirst()
      return row?.user_id ?? null
    },

    async failing(page) {
      if (!isOn) return { total: 0, data: [] }
      const now = clock.now()
      const total = await standingStore(db).countFailing(now)
      const data = await standingStore(db).failing(now, offsetOf(page, total), page.limit)
      return { total, data }
    },

    count: async () => (isOn ? standingStore(db).countLocked(clock.now()) : 0),

    failingNames: async () => {
      const rows = isOn ? await standingStore(db).failing(clock.now(), 0, maxNames) : []
      return rows.map(({ username }) => username)
    },

    async forget({ username, failedLogins }) {
      if (failedLogins > 0) await this.succeeded(db, username)
    },
  }
}

function isOpen(now: Expression<number>) {
  return (eb: ExpressionBuilder<Schema, 'accounts'>) =>
    eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', now)])
}
