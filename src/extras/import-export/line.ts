import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import { fromBase32 } from '../../core/crypto/base32.ts'
import { ApiError, type Detail, refuseField } from '../../core/errors.ts'
import { compileCheck } from '../../core/http/bodies/validation.ts'
import type { Static } from '../../core/http/schemas.ts'
import { dateTimeMessage, parseDateTime } from '../../core/lib/date-time.ts'
import { untranslated } from '../../core/lib/languages.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { AccountField } from '../../modules/accounts/account-field.ts'
import { parseRoles, parseUser, parseUsername } from '../../modules/accounts/parse.ts'
import { foreignHashRefusal, hashRefusal } from '../../modules/passwords/given-hash.ts'
import { importedSecretBytes } from '../../modules/totp/imported.ts'
import type { NewUser } from '../../modules/users/user.ts'
import type { ForeignExtras } from './foreign-extras.ts'
import type { ReadRecord } from './read-records.ts'
import { type ImportLine, transferSchemas } from './schemas.ts'

export interface Mistake extends Omit<Detail, 'words'> {
  /** As in `ReadRecord`. */
  readonly line: number
}

export interface AccountLine {
  readonly line: number
  readonly username: Username
  readonly secret: { readonly hash: string } | { readonly password: string } | 'none'
  readonly roles: readonly Role[]
  readonly locked: boolean
  readonly active: boolean
  readonly mustChange: boolean
  /** Epoch milliseconds; default now. */
  readonly createdAt: number | undefined
  readonly user: { readonly id: number } | NewUser
  readonly extras?: ForeignExtras
  readonly verifiedEmail?: EmailAddress
  readonly totp?: Uint8Array
  /** Values of fields of other modules, by name. */
  readonly more?: Readonly<Record<string, unknown>>
}

export type ReadLine = (record: ReadRecord) => AccountLine | readonly Detail[]

type LineSettings = Pick<Config, 'password' | 'roles'>

/** For the service's hash settings and roles. */
export async function lineReader(
  settings: LineSettings,
  fields: readonly AccountField[] = [],
): Promise<ReadLine> {
  const check = await compileCheck(transferSchemas(settings.roles, fields).ImportLine)
  return (record) => readLine(record, { ...settings, fields }, check)
}

function readLine(
  { line, ...read }: ReadRecord,
  settings: LineSettings & { readonly fields: readonly AccountField[] },
  check: (value: unknown) => Detail[],
): ReturnType<ReadLine> {
  if ('details' in read) return read.details
  const found = check(read.value)
  if (found.some(({ path }) => path.length === 0)) return found
  const { extras } = read
  const refusalOf = extras ? foreignHashRefusal : hashRefusal
  const hashFault = (hash: string) => refusalOf(hash, settings.password)
  const body = read.value as Static<ImportLine> // fields of another shape are skipped
  const refused = new Set(found.map(({ path }) => path[0]))
  const parsed = <T>(fields: readonly (keyof Static<ImportLine>)[], parse: () => T) =>
    fields.some((field) => refused.has(field)) ? undefined : attempt(found, parse)
  const username = parsed(['username'], () => parseUsername(body.username))
  const roles = parsed(['roles'], () => parseRoles(body.roles, settings.roles))
  const secret = parsed(['password', 'password_hash'], () => parseSecret(body, hashFault))
  const createdAt = parsed(['created_at'], () => parseTime(body.created_at))
  const user = parsed(['user_id', 'name', 'email'], () => parseOwner(body))
  const foreign = attempt(found, () => parseExtras(extras, user))
  const given: Readonly<Record<string, unknown>> = body
  const others = settings.fields.filter(({ name }) => given[name] !== undefined)
  for (const field of others) parsedField(field)
  if (found.length > 0 || !username || !roles || !secret || !user) return found
  const { locked = false, active = true, must_change: mustChange = false } = body
  const account = { line, username, secret, roles, locked, active, mustChange, createdAt, user }
  const more = Object.fromEntries(others.map(({ name }) => [name, given[name]]))
  return { ...account, ...foreign, ...(others.length > 0 && { more }) }

  function parsedField(field: AccountField): void {
    if (!refused.has(field.name)) attempt(found, () => field.check(given[field.name], 'admin'))
  }
}

/** Collects the error, so that other fields are checked too. */
function attempt<T>(found: Detail[], parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details) throw error
    found.push(...error.details)
    return undefined
  }
}

function parseSecret(
  { password, password_hash: hash }: Static<ImportLine>,
  refusalOf: (hash: string) => string | undefined,
): AccountLine['secret'] {
  if (hash !== undefined && password !== undefined) {
    return refuseField(['password_hash'], {
      en: 'stands for a password: leave out one of them',
      de: 'steht für ein Passwort: Lassen Sie eines von beiden weg',
    })
  }
  if (password !== undefined) return { password }
  if (hash === undefined) return 'none'
  const reason = refusalOf(hash)
  return reason === undefined ? { hash } : refuseField(['password_hash'], untranslated(reason))
}

/** Ignores the exported `user_id` beside name and email. */
function parseOwner({ user_id, name, email }: Static<ImportLine>): AccountLine['user'] {
  if (name !== undefined && email !== undefined) return parseUser({ name, email })
  return parseUser({ ...(user_id !== undefined && { user_id }), ...pick({ name, email }) })
}

function pick({ name, email }: { name: string | undefined; email: string | undefined }) {
  return { ...(name !== undefined && { name }), ...(email !== undefined && { email }) }
}

function parseExtras(extras: ForeignExtras | undefined, user: AccountLine['user'] | undefined) {
  if (!extras) return {}
  const email = extras.emailVerified && user && 'email' in user ? parseEmail(user.email) : null
  const totp = extras.totp === undefined ? undefined : parseSecretKey(extras.totp)
  return { extras, ...(email && { verifiedEmail: email }), ...(totp && { totp }) }
}

function parseSecretKey(text: string): Uint8Array {
  const { min, max } = importedSecretBytes
  const secret = text.length > 200 ? undefined : fromBase32(text)
  if (secret && secret.length >= min && secret.length <= max) return secret
  return refuseField(['totp'], {
    en: `must be a secret of ${min} to ${max} bytes in Base32`,
    de: `muss ein Geheimnis von ${min} bis ${max} Bytes in Base32 sein`,
  })
}

function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return parseDateTime(text) ?? refuseField(['created_at'], dateTimeMessage)
}
