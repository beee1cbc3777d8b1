import type { Authentication, Method } from '../authentication/attempt.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { canonicalUsername, type Username } from '../kernel/username.ts'
import { type Passwords, replaceHash } from '../passwords/passwords.ts'
import type { Verifier } from '../passwords/verifier.ts'
import { beginWithinMs } from '../throttle/throttle.ts'
import type { Accounts } from './accounts.ts'
import { accountStore } from './store.ts'

export interface PasswordMethodDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly db: Database
  readonly clock: Clock
  readonly passwords: Pick<Passwords, 'hash' | 'isOutdated'>
  readonly verifier: Verifier
}

export interface SentPassword {
  readonly username: string
  /** As sent; each is empty where it was not sent, or not as text. */
  readonly password: string
  /** The client's address. */
  readonly address: string
  /** The solution of a challenge. */
  readonly captcha?: string | undefined
}

/**
 * Username and password: one method for every login mode, for Basic and for a change of the own
 * password, so that no other is left unguarded. Unknown, wrong, locked and disabled look alike and
 * cost alike. Spec 3.3, 5.1, 5.6. Of the method:
 * @throws ApiError invalidCredentials, serviceUnavailable
 */
export function byPassword(
  deps: PasswordMethodDeps,
  { username: text, password, address, captcha }: SentPassword,
): Pick<Authentication, 'login' | 'method'> {
  const username = canonicalUsername(text)
  const login = { username, address, captcha }
  return username === null || password === ''
    ? { login: { ...login, isIncomplete: true }, method: incomplete }
    : { login, method: passwordMethod(deps, username, password) }
}

/**
 * Without a name that an account could have, or without a password: an attempt like any other for
 * the limits (spec 3.3), but no password was tried, so the account is neither read nor brought
 * nearer to its lock. It is answered sooner than a wrong password, which tells no name.
 */
const incomplete: Method = {
  async prove() {
    throw new ApiError('invalidCredentials')
  },
}

function passwordMethod(
  { accounts, db, clock, passwords, verifier }: PasswordMethodDeps,
  username: Username,
  password: string,
): Method {
  return {
    prepare: verifier.prepare,

    async prove(attempt) {
      // Outside any transaction: others log in while this one is verified.
      const account = await accountStore(db).byUsername(username)
      const hash = account?.passwordHash ?? null
      const verification = await verifier.verify(password, hash, attempt.takenAt + beginWithinMs)
      attempt.failsAs({
        userId: account?.userId ?? null,
        wait: () => verifier.untilRefusal(verification),
      })
      if (!account || !verification.matches) throw new ApiError('invalidCredentials')
      return { account, amr: ['pwd'], authTime: clock.now() }
    },

    /** Replaces a hash that is weaker than a new one would be, now that the password is at hand. */
    async accepted({ account }) {
      const { userId, passwordHash } = account
      if (passwordHash === null || !passwords.isOutdated(passwordHash)) return
      // Locked meanwhile: the time of another hash must not tell that the password was right.
      await accounts.reread(db, account, 'commit')
      // The login does not depend on it: what fails now is tried again at the next one.
      await refreshHash(userId, passwordHash).catch(() => {})
    },
  }

  async function refreshHash(userId: number, passwordHash: string): Promise<void> {
    await replaceHash(db, userId, passwordHash, await passwords.hash(password))
  }
}
