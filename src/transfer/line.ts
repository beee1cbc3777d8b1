import { parseRoles, parseUser, parseUsername } from '../accounts/parse.ts'
import type { Config } from '../config/load.ts'
import { compileCheck } from '../http/bodies/validation.ts'
import type { Static } from '../http/schemas.ts'
import { ApiError, type Detail, refuseField } from '../kernel/errors.ts'
import type { Role } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'
import { hashRefusal } from '../passwords/given-hash.ts'
import type { HashSettings } from '../passwords/password.ts'
import type { NewUser } from '../users/user.ts'
import type { Line } from './lines.ts'
import { type ImportLine, transferSchemas } from './schemas.ts'

/** One thing that is wrong with one line. */
export interface Mistake extends Detail {
  /** From 1, blank lines counted. */
  readonly line: number
}

/** An account as a line asks for it. */
export interface WantedLine {
  readonly line: number
  readonly username: Username
  readonly secret: { readonly hash: string } | { readonly password: string }
  readonly roles: readonly Role[]
  readonly locked: boolean
  readonly active: boolean
  readonly mustChange: boolean
  /** Epoch milliseconds; undefined: now. */
  readonly createdAt: number | undefined
  readonly user: { readonly id: number } | NewUser
}

/** Answers what a line asks for; what is wrong with it; or null where it is blank. */
export type ReadLine = (line: Line) => WantedLine | readonly Detail[] | null

type LineSettings = Pick<Config, 'password' | 'roles'>

/** Makes a reader of lines for a service that makes hashes by these settings, and has these roles. */
export async function lineReader(settings: LineSettings): Promise<ReadLine> {
  const check = await compileCheck(transferSchemas(settings.roles).ImportLine)
  return (line) => readLine(line, settings, check)
}

function readLine(
  { number, text, refusal }: Line,
  settings: LineSettings,
  check: (value: unknown) => Detail[],
): ReturnType<ReadLine> {
  if (text === undefined) return [{ path: [], message: refusal ?? 'cannot be read' }]
  if (text.trim() === '') return null
  const value = parseJson(text)
  if (value === undefined) return [{ path: [], message: 'is no JSON' }]
  const details = check(value)
  if (details.length > 0) return details
  const found: Detail[] = []
  const body = value as Static<ImportLine> // the shape was checked
  const username = attempt(found, () => parseUsername(body.username))
  const roles = attempt(found, () => parseRoles(body.roles, settings.roles))
  const secret = attempt(found, () => parseSecret(body, settings.password))
  const createdAt = attempt(found, () => parseTime(body.created_at))
  const user = attempt(found, () => parseOwner(body))
  if (found.length > 0 || !username || !roles || !secret || !user) return found
  const { locked = false, active = true, must_change: mustChange = false } = body
  return { line: number, username, secret, roles, locked, active, mustChange, createdAt, user }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Gathers what is wrong with each field, where one refusal would end the rest. */
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
  settings: HashSettings,
): WantedLine['secret'] {
  if (hash !== undefined && password !== undefined) {
    return refuseField(['password_hash'], 'stands for a password: leave out one of them')
  }
  if (password !== undefined) return { password }
  if (hash === undefined) return refuseField(['password_hash'], 'is required, or else password')
  const reason = hashRefusal(hash, settings)
  return reason === undefined ? { hash } : refuseField(['password_hash'], reason)
}

/** An export names the id that a user had elsewhere: beside name and e-mail it says nothing here. */
function parseOwner({ user_id, name, email }: Static<ImportLine>): WantedLine['user'] {
  if (name !== undefined && email !== undefined) return parseUser({ name, email })
  return parseUser({ ...(user_id !== undefined && { user_id }), ...pick({ name, email }) })
}

function pick({ name, email }: { name: string | undefined; email: string | undefined }) {
  return { ...(name !== undefined && { name }), ...(email !== undefined && { email }) }
}

const timeFormat = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, year, month, day] = timeFormat.exec(text) ?? []
  const time = Date.parse(text)
  // Date.parse takes the 30th of February for the 1st of March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number.isNaN(time) || !(Number(day) <= lastDay)) {
    return refuseField(['created_at'], 'must be a time like 2026-01-15T12:00:00Z')
  }
  return time
}
