import type { Role, RoleName } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { AccountChanges, EndedTokens } from './store.ts'

export interface PasswordInput {
  readonly text: string
  readonly field: string
}

/** An absent field stays unchanged. */
export interface AccountUpdate {
  readonly roles?: readonly Role[] | undefined
  readonly locked?: boolean | undefined
  readonly active?: boolean | undefined
  readonly mustChange?: boolean | undefined
  readonly password?: PasswordInput | undefined
}

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

/** New roles end access tokens only: /refresh issues the new roles (spec 4.1). */
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
