import type { Static } from '../http/schemas.ts'
import { ApiError, type Detail, refuseField } from '../kernel/errors.ts'
import { parseRole, type Role, rolesAmong } from '../kernel/principal.ts'
import { canonicalUsername, type Username } from '../kernel/username.ts'
import type { WantedAccount } from './accounts.ts'
import type { AccountSchemas } from './schemas.ts'

/** Parses a username. @throws ApiError validationFailed if no account can have the name */
export function parseUsername(text: string): Username {
  return (
    canonicalUsername(text) ??
    refuseField(
      ['username'],
      'must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
    )
  )
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
>): WantedAccount['user'] {
  const isNew = name !== undefined && email !== undefined
  if (user_id !== undefined) {
    if (name === undefined && email === undefined) return { id: user_id }
    return refuseField(['user_id'], 'stands for a user that exists: leave out name and email')
  }
  return isNew ? { name, email } : refuseField(['user_id'], 'is required, or else name and email')
}
