import { contractRoles, parseRoleName, type Role, type RoleName } from '../policy/principal.ts'
import type { Reading, SettingValues } from './load.ts'

/** Existence is checked with all settings. */
export function parseNamedRole(item: string): RoleName {
  const name = parseRoleName(item)
  if (name === null) throw new Error(notRole(item))
  return name
}

export function notRole(item: string): string {
  return `holds ${JSON.stringify(item)}, which is not a role`
}

/** @throws Error with a message for the operator */
export function parseOwnRole(item: string): RoleName {
  if (contractRoles.some((role) => role === item)) {
    throw new Error(`holds ${item}, which every installation has`)
  }
  const name = parseRoleName(item)
  // The prefix is removed on use, so a prefixed name could never match.
  if (name === null || name !== item) {
    throw new Error(
      `holds ${JSON.stringify(item)}: a name is 1 to 32 capital letters, digits and _, begins with a letter, and not with ROLE_`,
    )
  }
  return name
}

/** Neither built in nor in `ROLES`. */
export function unknownRoles(
  names: readonly RoleName[],
  ownRoles: readonly RoleName[],
): readonly RoleName[] {
  const known: readonly RoleName[] = [...contractRoles, ...ownRoles]
  return names.filter((name) => !known.includes(name))
}

/** None if ROLES is unreadable. */
export function unknownRoleMistakes<Name extends string>(
  name: Name,
  {
    isMisread,
    values,
  }: Pick<Reading, 'isMisread'> & {
    readonly values: Pick<SettingValues, 'ROLES'> & Readonly<Record<Name, readonly RoleName[]>>
  },
): string[] {
  if (isMisread('ROLES')) return []
  return unknownRoles(values[name], values.ROLES).map((role) => `${name} ${notRole(role)}`)
}

export function rolesOf({ ROLES }: Pick<SettingValues, 'ROLES'>): readonly Role[] {
  return [...contractRoles, ...(ROLES as readonly Role[])]
}
