import type { Username } from '../../core/lib/username.ts'
import { parseRoleName, type RoleName, sortRoles } from '../../core/policy/principal.ts'

/** The account with which a user logs in. Spec 2.2. */
export interface Account {
  /** The user's id; a user has at most one account. */
  readonly userId: number
  readonly username: Username
  /** Null if the account has no password. */
  readonly passwordHash: string | null
  /**
   * As stored. A name that is no longer in `ROLES` stays here and grants nothing: see `rolesAmong`.
   */
  readonly roles: readonly RoleName[]
  /** A locked or inactive account cannot authenticate. Spec 3.4. */
  readonly locked: boolean
  readonly active: boolean
  /**
   * When the account is erased at the request of its owner, in epoch milliseconds; until then the
   * account cannot authenticate. Null if no deletion is pending.
   */
  readonly deletionAt: number | null
  /**
   * Failed logins in a row, and the end of the lockout in epoch milliseconds: see accounts/lock.ts.
   */
  readonly failedLogins: number
  readonly lockedUntil: number | null
  /** Whether a login requires a second factor. Spec 5.5. */
  readonly secondFactor: boolean
  /** The next login must set a new password. */
  readonly mustChange: boolean
  /** Tokens of lower versions have ended. */
  readonly accessVersion: number
  readonly refreshVersion: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The verified address, unlike that of the user; null if there is none. */
  readonly email: string | null
  /** The language of pages and mail; null: none was chosen. */
  readonly language: string | null
}

type Standing = Pick<Account, 'locked' | 'active'> & Partial<Pick<Account, 'deletionAt'>>

/** Whether an account is active, not locked, and has no pending deletion. */
export function isUsable({ locked, active, deletionAt = null }: Standing): boolean {
  return active && !locked && deletionAt === null
}

/** Parses stored names of roles, and sorts them: see `roleNamesOfAccount`. */
export function splitRoles(names: string | null): RoleName[] {
  return sortRoles((names ?? '').split(',').flatMap((name) => parseRoleName(name) ?? []))
}

/** Whether an account can administer the service. At least one account must. */
export function isAdministrator(account: Pick<Account, 'roles'> & Standing): boolean {
  return isUsable(account) && account.roles.includes('ADMIN')
}
