import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import type { Role, RoleName } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { AccountChanges, EndedTokens } from './store.ts'
import { accountStore } from './store.ts'

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

export const everything: EndedTokens = { access: true, refresh: true }

interface EndTokensOptions {
  readonly keepSession?: string | undefined
  readonly endsKeys?: boolean
  readonly isRemoved?: boolean
}

/**
 * Runs in the transaction of the change. Sessions end with refresh tokens only: a session reads new
 * roles immediately.
 */
export function endTokensWith(onEnded: HookPoints['onAccountEnded']) {
  return async (
    trx: DatabaseOrTransaction,
    userId: number,
    ended: EndedTokens,
    { keepSession, endsKeys = false, isRemoved = false }: EndTokensOptions = {},
  ): Promise<void> => {
    if (!ended.access && !ended.refresh) return
    const accessVersion = await accountStore(trx).raiseVersions(userId, ended)
    const endsLogins = ended.refresh
    await onEnded(trx, { userId, accessVersion, endsLogins, endsKeys, keepSession, isRemoved })
  }
}
