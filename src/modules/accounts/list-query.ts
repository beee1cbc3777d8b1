import type { Config } from '../../core/config/load.ts'
import { refuseField } from '../../core/errors.ts'
import {
  isIntegerFrom,
  nameOfOrder,
  type Order,
  type Place,
  parseOrder,
  readCursor,
  refuseCursor,
  writeCursor,
} from '../../core/http/lists/cursor.ts'
import {
  among,
  type Filters,
  flag,
  parseFilters,
  searched,
  time,
} from '../../core/http/lists/filters.ts'
import { parsePage, type Query, single } from '../../core/http/lists/paging.ts'
import { isStorableText } from '../../core/lib/text.ts'
import { parseRole, type Role } from '../../core/policy/principal.ts'

/** Times in epoch milliseconds; 0: no login. */
export const accountSortKeys = ['username', 'name', 'created_at', 'last_login_at'] as const
export type AccountSortKey = (typeof accountSortKeys)[number]
export type AccountOrder = Order<AccountSortKey>

export interface AccountCursor {
  readonly place: Place
  readonly isBefore: boolean
}

/**
 * `locked`: by an administrator; `locked_out`: temporarily, after failed logins; `active`: neither,
 * and not disabled; `must_change`: the next login must set a password.
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

/** By query parameter. */
function accountFilters({ roles, providers }: Pick<Config, 'roles' | 'providers'>) {
  return {
    search: (text: string, field: string) => parseSearch(text, field) || undefined,
    role: (name: string, field: string): Role =>
      parseRole(name, roles) ??
      refuseField([field], {
        en: `must be one of ${roles.join(', ')}`,
        de: `muss eine von diesen sein: ${roles.join(', ')}`,
      }),
    state: among(accountStates),
    second_factor: flag,
    verified: flag,
    imported: flag,
    /** Null: accounts without an identity. */
    provider(name: string, field: string): string | null {
      if (name === '') return null
      if (name.length > maxIssuerLength || !isStorableText(name)) {
        return refuseField([field], {
          en: 'must be the name or the issuer of an identity provider',
          de: 'muss der Name oder der Aussteller eines Anbieters sein',
        })
      }
      // Identities remain after a provider is removed from the settings.
      return providers.find((provider) => provider.name === name)?.issuer ?? name
    },
    last_login: (text: string, field: string): 'never' =>
      text === 'never'
        ? text
        : refuseField([field], { en: 'must be never', de: 'muss never sein' }),
    last_login_after: time,
    last_login_before: time,
  }
}

/** An absent field matches all. */
export type AccountFilters = Filters<ReturnType<typeof accountFilters>>

export interface AccountListQuery {
  readonly filters: AccountFilters
  readonly order: AccountOrder
  readonly limit: number
  readonly cursor: AccountCursor | null
}

export const maxAccountSearchLength = 200
const maxIssuerLength = 512
const parseSearch = searched(maxAccountSearchLength)

const parameters = [...Object.keys(accountFilters({ roles: [], providers: [] })), 'sort', 'cursor']

/** Filter, order or cursor, as opposed to a page number. */
export function asksForAccounts(query: Query): boolean {
  return parameters.some((name) => query[name] !== undefined)
}

/** @throws ApiError validationFailed */
export function parseAccountListQuery(
  query: Query,
  config: Pick<Config, 'roles' | 'providers'>,
  maxLimit: number,
): AccountListQuery {
  if (query.page !== undefined)
    refuseField(['page'], {
      en: 'does not go with filters: use `cursor`',
      de: 'passt nicht zu Filtern: Benutzen Sie `cursor`',
    })
  const order = parseOrder(single(query, 'sort') ?? 'username', accountSortKeys)
  const cursor = single(query, 'cursor')
  const filters = parseFilters(query, accountFilters(config))
  const isRange = filters.last_login_after !== undefined || filters.last_login_before !== undefined
  if (filters.last_login && isRange) {
    return refuseField(['last_login'], {
      en: 'stands alone: leave out the times',
      de: 'steht allein: Lassen Sie die Zeiten weg',
    })
  }
  const { limit } = parsePage(query, maxLimit)
  return {
    filters,
    order,
    limit,
    cursor: cursor === undefined ? null : readAccountCursor(cursor, order),
  }
}

export function writeAccountCursor(
  { place, isBefore }: AccountCursor,
  order: AccountOrder,
): string {
  return writeCursor([isBefore ? 'before' : 'after', nameOfOrder(order), place.value, place.id])
}

function readAccountCursor(text: string, order: AccountOrder): AccountCursor {
  const [side, sort, value, id, ...rest] = readCursor(text)
  const isIntact =
    (side === 'before' || side === 'after') &&
    accountSortKeys.some((key) => sort === key || sort === `-${key}`) &&
    (typeof value === 'string' ? isStorableText(value) : isIntegerFrom(0, value)) &&
    isIntegerFrom(0, id) &&
    rest.length === 0
  if (!isIntact)
    return refuseCursor({
      en: 'must be the `next` or `previous` of a page',
      de: 'muss `next` oder `previous` einer Seite sein',
    })
  const isOfNames = order.key === 'username' || order.key === 'name'
  if (sort !== nameOfOrder(order) || (typeof value === 'string') !== isOfNames) {
    return refuseCursor({ en: 'belongs to another `sort`', de: 'gehört zu einem anderen `sort`' })
  }
  const place = { value: isOfNames ? String(value) : Number(value), id: Number(id) }
  return { place, isBefore: side === 'before' }
}
