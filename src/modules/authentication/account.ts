import type { Username } from '../../core/lib/username.ts'
import { parseRoleName, type RoleName, sortRoles } from '../../core/policy/principal.ts'

/** Spec 2.2. */
export interface Account {
  readonly userId: number
  readonly username: Username
  /** Null if the account has no password. */
  readonly passwordHash: string | null
  /** As stored. Names that are no longer in `ROLES` grant nothing: see `rolesAmong`. */
  readonly roles: readonly RoleName[]
  /** A locked or inactive account cannot authenticate. Spec 3.4. */
  readonly locked: boolean
  readonly active: boolean
  /** Epoch milliseconds; until then the account cannot authenticate. Null: none pending. */
  readonly deletionAt: number | null
  /** Epoch milliseconds for the end of the lockout: see accounts/lock.ts. */
  readonly failedLogins: number
  readonly lockedUntil: number | null
  /** Spec 5.5. */
  readonly secondFactor: boolean
  /** At the next login. */
  readonly mustChange: boolean
  /** Tokens of lower versions are rejected. */
  readonly accessVersion: number
  readonly refreshVersion: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The verified address, unlike the user's. */
  readonly email: string | null
  readonly language: string | null
  /** Of a program: no password, no login. */
  readonly isService: boolean
}

type Standing = Pick<Account, 'locked' | 'active'> &
  Partial<Pick<Account, 'deletionAt' | 'isService'>>

export function isUsable({ locked, active, deletionAt = null }: Standing): boolean {
  return active && !locked && deletionAt === null
}

/** Sorted: see `roleNamesOfAccount`. */
export function splitRoles(names: string | null): RoleName[] {
  return sortRoles((names ?? '').split(',').flatMap((name) => parseRoleName(name) ?? []))
}

/** At least one person must be able to administer the service: no key opens all administration. */
export function isAdministrator(account: Pick<Account, 'roles'> & Standing): boolean {
  return isUsable(account) && account.isService !== true && account.roles.includes('ADMIN')
}
