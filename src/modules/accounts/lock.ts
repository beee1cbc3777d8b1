import type { Expression, ExpressionBuilder } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { offsetOf, type Page } from '../../core/http/lists/paging.ts'
import type { Username } from '../../core/lib/username.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import type { Account } from '../authentication/account.ts'
import type { FailuresInARow } from '../throttle/limits.ts'
import { type FailingAccount, standingStore } from './standing-store.ts'

const maxNames = 10_000

/**
 * Lockout (spec 8): after LOGIN_LOCK_AFTER consecutive failed logins from any address, logins are
 * rejected for LOGIN_LOCK_SECONDS. Sessions and tokens stay valid, so that an attacker who guesses
 * passwords cannot log the owner out. Pending sign-ins end. An administrator's lock is the flag
 * `locked`.
 */
export interface AutomaticLock extends FailuresInARow {
  /** Also clears the failures; returns the user id, or null. */
  lift(trx: DatabaseOrTransaction, username: Username): Promise<number | null>
  /** Accounts with failures or a lockout; latest lockouts first. */
  failing(page: Page): Promise<{ readonly total: number; readonly data: FailingAccount[] }>
  count(): Promise<number>
  /** At most 10,000; callers compare them with stored digests. */
  failingNames(): Promise<Username[]>
  /** Clears the failures after a cached Basic success: see `BasicDeps`. */
  forget(account: Pick<Account, 'username' | 'failedLogins'>): Promise<void>
}

type AutomaticLockNeeds = Pick<Deps, 'clock' | 'config' | 'db'> & {
  /** Ends sign-ins that wait for a further proof. */
  readonly endSignIns: HookPoints['onLockedOut']
}

interface Failure {
  readonly username: string
  readonly now: number
  readonly last: number
  readonly until: number
}

// One statement, so that parallel failures are all counted.
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
// Logins during a lockout are rejected unchecked and not counted. Resets are checked.
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

export function createAutomaticLock({
  config,
  db,
  clock,
  endSignIns,
}: AutomaticLockNeeds): AutomaticLock {
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
      // Otherwise these sign-ins, whose password was verified, could continue after an unlock.
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
