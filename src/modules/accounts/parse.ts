import { ApiError, type Detail, refuseField } from '../../core/errors.ts'
import type { Static } from '../../core/http/schemas.ts'
import type { Username } from '../../core/lib/username.ts'
import { parseRole, type Role, rolesAmong } from '../../core/policy/principal.ts'
import type { NewUser } from '../users/user.ts'
import type { AccountInput } from './accounts.ts'
import { chosenUsernameFaults, faultOfChosen, newUsername } from './new-username.ts'
import type { AccountSchemas } from './schemas.ts'

const neededForNew = { en: 'is required for a new user', de: 'fehlt für eine neue Person' } as const

/** @throws ApiError validationFailed */
export function parseUsername(text: string): Username {
  return (
    newUsername(text) ??
    refuseField(['username'], {
      en: 'must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
      de: 'muss 1 bis 64 Zeichen haben, darunter kein Doppelpunkt, kein Steuerzeichen und keines ohne Breite',
    })
  )
}

/** See `faultOfChosen`. @throws ApiError validationFailed */
export function parseChosenUsername(
  text: string,
  reserved: ReadonlySet<string>,
  proven: string,
): Username {
  const username = parseUsername(text)
  const fault = faultOfChosen(username, reserved, proven)
  return fault === null ? username : refuseField(['username'], chosenUsernameFaults[fault])
}

/** @throws ApiError validationFailed */
export function parseRoles(names: readonly string[], known: readonly Role[]): Role[] {
  const roles = names.map((name) => parseRole(name, known))
  const isRole = (role: Role | null) => role !== null
  if (roles.every(isRole)) return rolesAmong(roles, known)
  const words = {
    en: `must be ${oneOf(known)}`,
    de: `muss eine von diesen sein: ${known.join(', ')}`,
  }
  const details = roles.flatMap((role, index): Detail[] =>
    isRole(role) ? [] : [{ path: ['roles', String(index)], message: words.en, words }],
  )
  throw new ApiError('validationFailed', { details, reason: { code: 'roles_unknown' } })
}

/** Drops unknown names. */
export function knownRoles(names: readonly string[], known: readonly Role[]): Role[] {
  return names.flatMap((name) => parseRole(name, known) ?? [])
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** The user of a service account, whose address reaches no one. @throws ApiError validationFailed */
export function parseServiceUser({
  name,
  username,
}: Pick<Static<AccountSchemas['CreateAccount']>, 'name' | 'username'>): NewUser {
  const account = parseUsername(username)
  if (!serviceName.test(account)) {
    refuseField(['username'], {
      en: 'must have letters, digits, ".", "_" and "-" alone for a service',
      de: 'darf für einen Dienst nur Buchstaben, Ziffern, „.“, „_“ und „-“ enthalten',
    })
  }
  return { name: name ?? account, email: `${account}@service.invalid` }
}

/** The local part of an address. */
const serviceName = /^[a-z0-9]+([._-][a-z0-9]+)*$/

const absentForService = ['password', 'must_change', 'user_id', 'email'] as const

/** @throws ApiError validationFailed */
export function assertFieldOfService(
  body: Readonly<Record<string, unknown>>,
  field: (typeof absentForService)[number],
): void {
  if (body.service === true && body[field] !== undefined) {
    refuseField([field], {
      en: 'must be absent for a service account',
      de: 'muss bei einem Dienstkonto fehlen',
    })
  }
}

/** @throws ApiError validationFailed */
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
    return refuseField(['user_id'], {
      en: 'stands for a user that exists: leave out name and email',
      de: 'steht für eine vorhandene Person: Lassen Sie Name und E-Mail weg',
    })
  }
  if (name !== undefined && email !== undefined) return { name, email }
  if (name !== undefined) return refuseField(['email'], neededForNew)
  if (email !== undefined) return refuseField(['name'], neededForNew)
  return refuseField(['user_id'], {
    en: 'is required, unless name and email describe a new user',
    de: 'fehlt, wenn Name und E-Mail keine neue Person beschreiben',
  })
}
