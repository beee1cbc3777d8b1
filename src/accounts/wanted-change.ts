import type { Account } from '../authentication/account.ts'
import type { Role, RoleName } from '../kernel/principal.ts'
import type { AccountChanges, EndedTokens } from './store.ts'

/** A password, and the name that `details` shows. */
export interface WantedPassword {
  readonly text: string
  readonly field: string
}

/** What somebody wants of an account; what is absent stays as it is. */
export interface WantedChange {
  readonly roles?: readonly Role[] | undefined
  readonly locked?: boolean | undefined
  readonly active?: boolean | undefined
  readonly mustChange?: boolean | undefined
  readonly password?: WantedPassword | undefined
}

/** What is stored for it. */
export function changesOf(
  { roles, locked, active, mustChange }: WantedChange,
  passwordHash: string | undefined,
): AccountChanges {
  return {
    ...(roles && { roles }),
    ...(locked !== undefined && { locked }),
    ...(active !== undefined && { active }),
    ...(mustChange !== undefined && { mustChange }),
    ...(passwordHash !== undefined && { passwordHash }),
  }
}

/**
 * What a change does to the tokens given out: a new role set ends access tokens alone, so that
 * /refresh shows the new roles (spec 4.1); a lock, a disabling or a new password ends all.
 */
export function endedBy(
  before: Account,
  { roles, locked, active, mustChange, password }: WantedChange,
): EndedTokens {
  const all =
    password !== undefined ||
    (locked === true && !before.locked) ||
    (active === false && before.active) ||
    (mustChange === true && !before.mustChange)
  return { access: all || (roles !== undefined && !sameRoles(roles, before.roles)), refresh: all }
}

function sameRoles(left: readonly RoleName[], right: readonly RoleName[]): boolean {
  const names = new Set(left)
  return names.size === right.length && right.every((role) => names.has(role))
}
