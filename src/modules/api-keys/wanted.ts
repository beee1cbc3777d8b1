import { refuseField } from '../../core/errors.ts'
import { type Role, type RoleName, rolesAmong } from '../../core/policy/principal.ts'
import { parseRoles } from '../accounts/parse.ts'
import type { Account } from '../authentication/account.ts'
import { defaultDays, type WantedKey } from './api-keys.ts'
import type { KeyScopes } from './scopes.ts'
import type { KeyKind } from './store.ts'

export interface SentKeyWanted {
  readonly name: string
  readonly scopes: readonly string[]
  readonly roles?: readonly string[] | undefined
  readonly expires_in_days?: number | undefined
}

export interface WantedDeps {
  readonly scopes: KeyScopes
  readonly roles: readonly Role[]
}

/** @throws ApiError validationFailed */
export function wantedKeyOf(
  account: Pick<Account, 'roles'>,
  { name, scopes, roles, expires_in_days }: SentKeyWanted,
  kind: KeyKind,
  deps: WantedDeps,
): WantedKey {
  return {
    kind,
    name: plainName(name),
    scopes: deps.scopes.parse(scopes, kind),
    roles: rolesOf(account, roles, deps.roles),
    expiresInDays: expires_in_days ?? defaultDays,
  }
}

/** @throws ApiError validationFailed */
export function rolesOf(
  account: Pick<Account, 'roles'>,
  wanted: readonly string[] | undefined,
  known: readonly Role[],
): RoleName[] {
  const own = rolesAmong(account.roles, known)
  if (wanted === undefined) return own
  const roles = parseRoles(wanted, known)
  if (!roles.every((role) => own.includes(role))) {
    refuseField(['roles'], {
      en: 'must be roles of the account',
      de: 'müssen Rollen des Kontos sein',
    })
  }
  return roles
}

/** @throws ApiError validationFailed */
export function plainName(name: string): string {
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name) || name.trim() === '') {
    refuseField(['name'], {
      en: 'must have a letter, and no control character',
      de: 'muss einen Buchstaben und darf kein Steuerzeichen enthalten',
    })
  }
  return name
}
