import type { ForeignExtras } from '../foreign-extras.ts'
import type { ReadRecord } from '../read-records.ts'
import { AccountFault } from './account-fault.ts'
import type { RoleMap } from './role-map.ts'

/** An account as the export of another product has it. Absent fields have the default of an import. */
export interface ForeignAccount {
  /** The permanent id of the other product. */
  readonly id: string | undefined
  /** Default: the address. */
  readonly username: string | undefined
  /** Default: the username. */
  readonly name: string | undefined
  readonly email: string | undefined
  readonly emailVerified?: boolean
  readonly hash?: string | undefined
  readonly roles: readonly string[]
  readonly active?: boolean
  readonly locked?: boolean
  readonly mustChange?: boolean
  readonly createdAt?: string | undefined
  /** Base32: six digits each 30 seconds, SHA-1. */
  readonly totp?: string | undefined
}

/** Null: the record is no account. */
export type Convert = (value: unknown) => ForeignAccount | null

const maxIdLength = 255

export function toRecord(
  read: ReadRecord,
  convert: Convert,
  roles: RoleMap,
): ReadRecord | readonly never[] {
  if ('details' in read) return read
  try {
    const account = convert(read.value)
    return account === null ? [] : { line: read.line, ...lineOf(account, roles) }
  } catch (error) {
    if (error instanceof AccountFault) return { line: read.line, details: error.details }
    throw error
  }
}

function lineOf(account: ForeignAccount, roles: RoleMap) {
  const { id, email, createdAt, hash, active, locked, mustChange, totp } = account
  const username = account.username ?? email
  if (id === undefined)
    throw new AccountFault('id', 'is missing: a second import would not know it')
  if (id.length > maxIdLength || !id.isWellFormed() || id.includes('\0')) {
    throw new AccountFault('id', `must be a text of at most ${maxIdLength} characters`)
  }
  const fields = {
    ...{ username, email, active, locked, password_hash: hash, created_at: createdAt },
    ...{ name: account.name ?? username, must_change: mustChange, roles: roles.map(account.roles) },
  }
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return {
    value: Object.fromEntries(present),
    extras: { id, emailVerified: account.emailVerified === true, totp } satisfies ForeignExtras,
  }
}
