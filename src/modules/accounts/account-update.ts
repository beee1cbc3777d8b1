import type { Role, RoleName } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { AccountChanges, EndedTokens } from './store.ts'

/** A new password, and the name of its field in `details`. */
export interface PasswordInput {
  readonly text: string
  readonly field: string
}

/** A requested change of an account; an absent field stays as it is. */
export interface AccountUpdate {
  readonly roles?: readonly Role[] | undefined
  readonly locked?: boolean | undefined
  readonly active?: boolean | undefined
  readonly mustChange?: boolean | undefined
  readonly password?: PasswordInput | undefined
}

/** The stored fields that a requested change sets. */
export function changesOf(
  { roles, locked, active, mustChange }: AccountUpdate,
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
 * Which tokens a change ends. New roles end access tokens only, so that /refresh gives the new
 * roles (spec 4.1). A lock, a new password, a disabled account and a demanded password change end
 * all tokens.
 */
export function endedBy(
  before: Account,
  { roles, locked, active, mustChange, password }: AccountUpdate,
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
