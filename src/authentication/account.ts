import { parseRoleName, type RoleName, sortRoles } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'

/** A credential record: what one user logs in with. Spec 2.2. */
export interface Account {
  /** The user's id; a user has at most one account. */
  readonly userId: number
  readonly username: Username
  /** Null: no password logs in. */
  readonly passwordHash: string | null
  /** As stored: a name that `ROLES` has lost is among them, and grants nothing. See `rolesAmong`. */
  readonly roles: readonly RoleName[]
  /** Locked or inactive: authentication fails. Spec 3.4. */
  readonly locked: boolean
  readonly active: boolean
  /** Failed logins in a row, and until when too many of them lock the account: see lock.ts. */
  readonly failedLogins: number
  readonly lockedUntil: number | null
  /** Whether a second factor is asked for. Spec 5.5. */
  readonly secondFactor: boolean
  /** The next login must set a new password. */
  readonly mustChange: boolean
  /** Tokens that carry another version than these have ended. */
  readonly accessVersion: number
  readonly refreshVersion: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Whether the account may be used at all. For the table of requirements, and for `isAdministrator`. */
export function isUsable({ locked, active }: Pick<Account, 'locked' | 'active'>): boolean {
  return active && !locked
}

/** Roles in their order, of stored names in any: see `roleNamesOfAccount`. */
export function splitRoles(names: string | null): RoleName[] {
  return sortRoles((names ?? '').split(',').flatMap((name) => parseRoleName(name) ?? []))
}

/** Whether the account can administer: what must never be true of none. */
export function isAdministrator(account: Pick<Account, 'roles' | 'locked' | 'active'>): boolean {
  return isUsable(account) && account.roles.includes('ADMIN')
}
