import type { Database } from '../../core/database/database.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'
import type { Account } from '../authentication/account.ts'
import type { Authentication, Method } from '../authentication/attempt.ts'
import type { Evidence } from '../authentication/evidence.ts'
import { type Passwords, replaceHash } from '../passwords/passwords.ts'
import type { Verifier } from '../passwords/verifier.ts'
import type { KnownDevice, LoginAttempt } from '../throttle/limits.ts'
import { maxStartDelayMs } from '../throttle/throttle.ts'
import type { Accounts } from './accounts.ts'
import { accountStore } from './store.ts'

export interface PasswordMethodDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly db: Database
  readonly clock: Clock
  readonly passwords: Pick<Passwords, 'hash' | 'isOutdated'>
  readonly verifier: Verifier
}

export interface PasswordCredentials {
  /** As sent; empty if not sent as text. */
  readonly username: string
  readonly password: string
  readonly address: string
  readonly captcha?: string | undefined
}

/** An email address can replace the username. */
export interface TypedPassword extends PasswordCredentials {
  /** The name that the limits count, and the account to verify. */
  readonly names: Pick<LoginAttempt, 'username' | 'account'>
  readonly device: KnownDevice | null
}

/**
 * Used by every login mode, Basic and password changes, for equal protection. Unknown username,
 * wrong password, locked and disabled account have the same response and cost. Spec 3.3, 5.1, 5.6.
 * @throws ApiError invalidCredentials, serviceUnavailable
 */
export function byPassword(
  deps: PasswordMethodDeps,
  sent: PasswordCredentials,
): Pick<Authentication, 'login' | 'method'> {
  const names = { username: canonicalUsername(sent.username) }
  return byTypedPassword(deps, { ...sent, names, device: null })
}

/** Accepts email addresses and remembered devices. */
export function byTypedPassword(
  deps: PasswordMethodDeps,
  { username: text, password, names, ...of }: TypedPassword,
): Pick<Authentication, 'login' | 'method'> {
  const name = names.account ?? names.username
  if (name !== null && password !== '') {
    return { login: { ...names, ...of }, method: passwordMethod(deps, name, password) }
  }
  return {
    login: { ...names, ...of, isIncomplete: true },
    method: incomplete(incompleteReason(text, password)),
  }
}

/** @param at epoch milliseconds */
export function byChosenPassword(account: Account, at: number): Evidence {
  return { account, amr: ['pwd'], authTime: at }
}

function incompleteReason(text: string, password: string): RefusalReason {
  if (text === '') return { code: 'username_absent' }
  return { code: password === '' ? 'credentials_incomplete' : 'username_invalid' }
}

/**
 * The limits count the attempt (spec 3.3), but no account is read. The faster response does not
 * reveal which usernames exist.
 */
const incomplete = (reason: RefusalReason): Method => ({
  async prove() {
    throw new ApiError('invalidCredentials', { reason })
  },
})

function passwordMethod(
  { accounts, db, clock, passwords, verifier }: PasswordMethodDeps,
  username: Username,
  password: string,
): Method {
  return {
    prepare: verifier.prepare,

    async prove(attempt) {
      // No transaction: verification must not block other logins.
      const account = await accountStore(db).byUsername(username)
      const hash = attempt.usedUp ? null : (account?.passwordHash ?? null)
      const verification = await verifier.verify(password, hash, attempt.takenAt + maxStartDelayMs)
      attempt.onFailure({
        userId: account?.userId ?? null,
        wait: () => verifier.untilRefusal(verification),
      })
      if (account && attempt.usedUp) {
        const facts = { ...attempt.usedUp, user_id: account.userId }
        throw new ApiError('invalidCredentials', {
          reason: { code: 'limit_account_address', facts },
        })
      }
      if (!account || !verification.matches) {
        throw new ApiError('invalidCredentials', { reason: wrongGuess(account) })
      }
      return { account, amr: ['pwd'], authTime: clock.now() }
    },

    /** Rehashes outdated hashes while the password is known. */
    async accepted({ account }) {
      const { userId, passwordHash } = account
      if (passwordHash === null || !passwords.isOutdated(passwordHash)) return
      // If the account was locked during the login, the time of a second hash must not reveal a correct
      // password.
      await accounts.reread(db, account, 'commit')
      // The next login retries.
      await refreshHash(userId, passwordHash).catch(() => {})
    },
  }

  async function refreshHash(userId: number, passwordHash: string): Promise<void> {
    await replaceHash(db, userId, passwordHash, await passwords.hash(password))
  }
}

function wrongGuess(account: Account | null): RefusalReason {
  if (!account) return { code: 'no_such_account' }
  const { passwordHash, userId } = account
  const code = passwordHash === null ? 'account_without_password' : 'wrong_password'
  return { code, facts: { user_id: userId } }
}
