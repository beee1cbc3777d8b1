import type { Config } from '../../core/config/load.ts'
import { refuseField } from '../../core/errors.ts'
import { parsePage, type Query, single } from '../../core/http/lists/paging.ts'
import { dateTimeMessage, parseDateTime } from '../../core/lib/date-time.ts'
import { codePointLength, isStorableText } from '../../core/lib/text.ts'
import { parseRole, type Role } from '../../core/policy/principal.ts'
import {
  type AccountCursor,
  type AccountOrder,
  parseAccountOrder,
  readAccountCursor,
} from './list-cursor.ts'

/**
 * `locked`: by an administrator; `locked_out`: for some time, after failed logins; `active`: neither,
 * and not disabled; `deletion_pending`: its owner has deleted it, and it waits to be erased;
 * `must_change`: the next login must set a password.
 */
export const accountStates = [
  'active',
  'locked',
  'locked_out',
  'disabled',
  'deletion_pending',
  'must_change',
] as const
export type AccountState = (typeof accountStates)[number]

/** Which accounts are listed; an absent field selects all. Times in epoch milliseconds. */
export interface AccountFilters {
  /** Not empty: see `AccountPattern`. */
  readonly search?: string | undefined
  readonly role?: Role | undefined
  readonly state?: AccountState | undefined
  readonly secondFactor?: boolean | undefined
  /** Whether the account has a verified address. */
  readonly verified?: boolean | undefined
  readonly imported?: boolean | undefined
  /** The issuer of an identity; null: accounts without an identity. */
  readonly issuer?: string | null | undefined
  readonly lastLogin?: LastLogin | undefined
}

/** The last login in a range of time; or there was none. */
export type LastLogin =
  | 'never'
  | { readonly after?: number | undefined; readonly before?: number | undefined }

export interface AccountListQuery {
  readonly filters: AccountFilters
  readonly order: AccountOrder
  readonly limit: number
  readonly cursor: AccountCursor | null
}

export const maxAccountSearchLength = 200
const maxIssuerLength = 512

const parameters = [
  'search',
  'role',
  'state',
  'second_factor',
  'verified',
  'imported',
  'provider',
  'last_login',
  'last_login_after',
  'last_login_before',
  'sort',
  'cursor',
] as const

/** Whether a query asks for accounts by filter, order or cursor, rather than for a page by number. */
export function asksForAccounts(query: Query): boolean {
  return parameters.some((name) => query[name] !== undefined)
}

/** Parses such a query. @throws ApiError validationFailed for a value that it does not understand */
export function parseAccountListQuery(
  query: Query,
  { roles, providers, maxLimit }: Pick<Config, 'roles' | 'providers'> & { maxLimit: number },
): AccountListQuery {
  if (query.page !== undefined) refuseField(['page'], 'does not go with filters: use `cursor`')
  const order = parseAccountOrder(single(query, 'sort') ?? 'username')
  const cursor = single(query, 'cursor')
  const filters = {
    search: parseSearch(single(query, 'search') ?? ''),
    role: parseKnownRole(single(query, 'role'), roles),
    state: parseState(single(query, 'state')),
    secondFactor: parseFlag(query, 'second_factor'),
    verified: parseFlag(query, 'verified'),
    imported: parseFlag(query, 'imported'),
    issuer: parseProvider(single(query, 'provider'), providers),
    lastLogin: parseLastLogin(query),
  }
  const { limit } = parsePage(query, maxLimit)
  return {
    filters,
    order,
    limit,
    cursor: cursor === undefined ? null : readAccountCursor(cursor, order),
  }
}

function parseSearch(text: string): string | undefined {
  if (text === '') return undefined
  if (codePointLength(text) > maxAccountSearchLength) {
    return refuseField(['search'], `must have at most ${maxAccountSearchLength} characters`)
  }
  if (isStorableText(text)) return text
  return refuseField(['search'], 'must not hold NUL characters or lone surrogates')
}

function parseKnownRole(name: string | undefined, known: readonly Role[]): Role | undefined {
  if (name === undefined) return undefined
  return parseRole(name, known) ?? refuseField(['role'], `must be one of ${known.join(', ')}`)
}

function parseState(name: string | undefined): AccountState | undefined {
  if (name === undefined) return undefined
  const state = accountStates.find((known) => known === name)
  return state ?? refuseField(['state'], `must be one of ${accountStates.join(', ')}`)
}

function parseFlag(query: Query, name: string): boolean | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  return refuseField([name], 'must be true or false')
}

/** A name of the settings, or an issuer: identities stay when a provider leaves the settings. */
function parseProvider(
  name: string | undefined,
  providers: Config['providers'],
): string | null | undefined {
  if (name === undefined) return undefined
  if (name === '') return null
  if (name.length > maxIssuerLength || !isStorableText(name)) {
    return refuseField(['provider'], 'must be the name or the issuer of an identity provider')
  }
  return providers.find((provider) => provider.name === name)?.issuer ?? name
}

function parseLastLogin(query: Query): LastLogin | undefined {
  const text = single(query, 'last_login')
  const after = parseTime(query, 'last_login_after')
  const before = parseTime(query, 'last_login_before')
  const isRange = after !== undefined || before !== undefined
  if (text === undefined) return isRange ? { after, before } : undefined
  if (text !== 'never') return refuseField(['last_login'], 'must be never')
  return isRange ? refuseField(['last_login'], 'stands alone: leave out the times') : text
}

function parseTime(query: Query, name: string): number | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  return parseDateTime(text) ?? refuseField([name], dateTimeMessage)
}
