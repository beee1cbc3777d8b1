import { ApiError, type Detail, refuseField } from '../../core/errors.ts'
import type { Static } from '../../core/http/schemas.ts'
import type { Username } from '../../core/lib/username.ts'
import { parseRole, type Role, rolesAmong } from '../../core/policy/principal.ts'
import type { AccountInput } from './accounts.ts'
import { chosenUsernameFaults, faultOfChosen, newUsername } from './new-username.ts'
import type { AccountSchemas } from './schemas.ts'

/** Parses the username of a new account. @throws ApiError validationFailed if none can have it */
export function parseUsername(text: string): Username {
  return (
    newUsername(text) ??
    refuseField(
      ['username'],
      'must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
    )
  )
}

/**
 * Parses the username that the owner of a new account chooses: see `faultOfChosen`.
 * @throws ApiError validationFailed
 */
export function parseChosenUsername(
  text: string,
  reserved: ReadonlySet<string>,
  proven: string,
): Username {
  const username = parseUsername(text)
  const fault = faultOfChosen(username, reserved, proven)
  return fault === null ? username : refuseField(['username'], chosenUsernameFaults[fault])
}

/**
 * Parses names of roles, each once; `known` are the roles of the service.
 * @throws ApiError validationFailed
 */
export function parseRoles(names: readonly string[], known: readonly Role[]): Role[] {
  const roles = names.map((name) => parseRole(name, known))
  const isRole = (role: Role | null) => role !== null
  if (roles.every(isRole)) return rolesAmong(roles, known)
  const details = roles.flatMap((role, index): Detail[] =>
    isRole(role) ? [] : [{ path: ['roles', String(index)], message: `must be ${oneOf(known)}` }],
  )
  throw new ApiError('validationFailed', { details, reason: { code: 'roles_unknown' } })
}

/** Answers the names that are roles, and leaves the others out. */
export function knownRoles(names: readonly string[], known: readonly Role[]): Role[] {
  return names.flatMap((name) => parseRole(name, known) ?? [])
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** The user of a new account: an existing one, or a new one. @throws ApiError validationFailed */
export function parseUser({
  user_id,
  name,
  email,
}: Pick<
  Static<AccountSchemas['CreateAccount']>,
  'user_id' | 'name' | 'email'
>): AccountInput['user'] {
  if (user_id !== undefined) {
    if (name === undefined && email === undefined) return { id: user_id }
    return refuseField(['user_id'], 'stands for a user that exists: leave out name and email')
  }
  if (name !== undefined && email !== undefined) return { name, email }
  if (name !== undefined) return refuseField(['email'], 'is required for a new user')
  if (email !== undefined) return refuseField(['name'], 'is required for a new user')
  return refuseField(['user_id'], 'is required, unless name and email describe a new user')
}
