import { api, dataOf } from '../../api/client.ts'
import type { components, operations } from '../../api/openapi.d.ts'

export type ListedAccount = components['schemas']['ListedAccount']
export type FoundAccounts = components['schemas']['FoundAccounts']
type Query = NonNullable<operations['listAccounts']['parameters']['query']>

/** The fields of the address that filter and sort the list, as they stand there. */
export const filterNames = [
  'search',
  'role',
  'state',
  'second_factor',
  'verified',
  'imported',
  'provider',
  'last_login',
] as const
export type FilterName = (typeof filterNames)[number]
export type Fields = Readonly<Record<string, string>>

const dayMs = 86_400_000
/** The last login: before or after so many days ago. */
const lastLogins = new Map<string, (now: number) => Partial<Query>>([
  ['day', (now) => ({ last_login_after: daysBefore(now, 1) })],
  ['month', (now) => ({ last_login_after: daysBefore(now, 30) })],
  ['before-month', (now) => ({ last_login_before: daysBefore(now, 30) })],
  ['before-year', (now) => ({ last_login_before: daysBefore(now, 365) })],
  ['never', () => ({ last_login: 'never' })],
])

const withoutProvider = 'none'

/** The query of the API for an address; what the address does not say, the API is not asked. */
export function queryOf(fields: Fields, now: number): Query {
  const { search, role, state, provider, sort, cursor } = fields
  const flags = (['second_factor', 'verified', 'imported'] as const).flatMap((name) =>
    fields[name] === undefined ? [] : [[name, fields[name] === 'yes'] as const],
  )
  return {
    // Always there: without any of them the API answers in the form of version 1.
    sort: (sort ?? 'username') as NonNullable<Query['sort']>, // the API refuses any other
    limit: Number(fields.limit ?? 50),
    ...(search !== undefined && { search }),
    ...(role !== undefined && { role: role as NonNullable<Query['role']> }), // as above
    ...(state !== undefined && { state: state as NonNullable<Query['state']> }), // as above
    ...(provider !== undefined && { provider: provider === withoutProvider ? '' : provider }),
    ...Object.fromEntries(flags),
    ...lastLogins.get(fields.last_login ?? '')?.(now),
    ...(cursor !== undefined && { cursor }),
  }
}

/** Reads a page of the list. @throws ApiProblem */
export async function readAccounts(query: Query, signal: AbortSignal): Promise<FoundAccounts> {
  const page = await dataOf(api.GET('/api/admin/accounts', { params: { query }, signal }))
  if ('page' in page) throw new Error('a page by number') // never asked for
  return page
}

function daysBefore(now: number, days: number): string {
  return new Date(now - days * dayMs).toISOString()
}
