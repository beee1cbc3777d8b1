import { contractRoles, parseRoleName, type Role, type RoleName } from '../policy/principal.ts'
import type { Reading, SettingValues } from './load.ts'

/** Parses a text that can name a role; whether the role exists depends on all settings together. */
export function parseNamedRole(item: string): RoleName {
  const name = parseRoleName(item)
  if (name === null) throw new Error(notRole(item))
  return name
}

/** What is wrong with a text that names no role. */
export function notRole(item: string): string {
  return `holds ${JSON.stringify(item)}, which is not a role`
}

/** The name of a role that the operator adds. @throws Error whose message says what is wrong */
export function parseOwnRole(item: string): RoleName {
  if (contractRoles.some((role) => role === item)) {
    throw new Error(`holds ${item}, which every installation has`)
  }
  const name = parseRoleName(item)
  // With the prefix, which is removed wherever a role is named, the name would never be met again.
  if (name === null || name !== item) {
    throw new Error(
      `holds ${JSON.stringify(item)}: a name is 1 to 32 capital letters, digits and _, begins with a letter, and not with ROLE_`,
    )
  }
  return name
}

/** Those that no installation has, unless they stand in `ROLES`. */
export function unknownRoles(
  names: readonly RoleName[],
  ownRoles: readonly RoleName[],
): readonly RoleName[] {
  const known: readonly RoleName[] = [...contractRoles, ...ownRoles]
  return names.filter((name) => !known.includes(name))
}

/** The mistakes of a setting that names roles; none while ROLES cannot be read. */
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

/** All roles: a name that is no role is a mistake. */
export function rolesOf({ ROLES }: Pick<SettingValues, 'ROLES'>): readonly Role[] {
  return [...contractRoles, ...(ROLES as readonly Role[])]
}
