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
  /** As sent. The username and the password are empty if they were not sent as text. */
  readonly username: string
  readonly password: string
  /** The client's address. */
  readonly address: string
  /** The solution of a challenge. */
  readonly captcha?: string | undefined
}

/** The same where a mail address may stand for the username. */
export interface TypedPassword extends PasswordCredentials {
  /** What the attempt counts as, and the account whose password is verified. */
  readonly names: Pick<LoginAttempt, 'username' | 'account'>
  readonly device: KnownDevice | null
}

/**
 * Authenticates by username and password. Every login mode, Basic and a change of the caller's own
 * password use this one method, so that all have the same protection. An unknown username, a wrong
 * password, a locked and a disabled account have the same answer and the same cost. Spec 3.3, 5.1,
 * 5.6. The method throws ApiError invalidCredentials, serviceUnavailable.
 */
export function byPassword(
  deps: PasswordMethodDeps,
  sent: PasswordCredentials,
): Pick<Authentication, 'login' | 'method'> {
  const names = { username: canonicalUsername(sent.username) }
  return byTypedPassword(deps, { ...sent, names, device: null })
}

/** Authenticates on the pages, where a mail address and a known browser count as well. */
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

/** What the owner has proved who has just chosen the password of a new account. @param at epoch milliseconds */
export function byChosenPassword(account: Account, at: number): Evidence {
  return { account, amr: ['pwd'], authTime: at }
}

/** Whether the text was none, or one that no account can have as its name. */
function incompleteReason(text: string, password: string): RefusalReason {
  if (text === '') return { code: 'username_absent' }
  return { code: password === '' ? 'credentials_incomplete' : 'username_invalid' }
}

/**
 * Refuses an attempt without a valid username or without a password. The limits count it as any
 * other attempt (spec 3.3). It tries no password, so the account is not read and its failures are
 * not counted. The answer comes sooner than for a wrong password; that does not show which
 * usernames exist.
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
      // Outside any transaction: other logins go on during the verification.
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

    /**
     * Replaces a hash of another kind or lower cost than the configured one: the password is known
     * now.
     */
    async accepted({ account }) {
      const { userId, passwordHash } = account
      if (passwordHash === null || !passwords.isOutdated(passwordHash)) return
      // If the account was locked meanwhile, the time of a second hash must not show that the
      // password was right.
      await accounts.reread(db, account, 'commit')
      // The login does not depend on the new hash: the next login tries again.
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
