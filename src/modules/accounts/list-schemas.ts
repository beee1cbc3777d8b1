import {
  Count,
  exactly,
  Id,
  listQuery,
  named,
  rolesOf,
  type Static,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type Role, rolesAmong } from '../../core/policy/principal.ts'
import { splitRoles } from '../authentication/account.ts'
import { ann } from '../users/schemas.ts'
import type { AccountListPage } from './account-list.ts'
import {
  type AccountCursor,
  type AccountListQuery,
  accountSortKeys,
  accountStates,
  maxAccountSearchLength,
  writeAccountCursor,
} from './list-query.ts'
import { accountSchemas, annsAccount, DeletionAt } from './schemas.ts'

export function accountListSchemas(roles: readonly Role[]) {
  const fields = {
    username: Text,
    user_id: Id,
    name: { ...Text, description: 'That of the user' },
    email: { ...Text, description: 'That of the user, which proves nothing' },
    verified_email: { ...TextOrNull, description: 'The address that was proved' },
    roles: rolesOf(roles),
    locked: { type: 'boolean', description: 'By an administrator' },
    locked_until: {
      ...TimeOrNull,
      description: 'The end of a lockout after failed logins; null if there is none now',
    },
    active: { type: 'boolean' },
    deletion_at: DeletionAt,
    must_change: { type: 'boolean', description: 'The next login must set a password' },
    second_factor: { type: 'boolean' },
    identities: { ...Count, description: 'How many identities of providers sign in to it' },
    imported: {
      type: 'boolean',
      description: 'Whether an import has made it; a restored database does not know',
    },
    last_login_at: {
      ...TimeOrNull,
      description: 'Null before the first login, or the first one since version 0.9.0',
    },
    created_at: Time,
  } as const
  const example = {
    ...annsAccount,
    name: ann.name,
    email: ann.email,
    verified_email: ann.email,
    locked_until: null,
    must_change: false,
    identities: 0,
    imported: false,
    last_login_at: '2026-03-02T09:40:00.000Z',
  }
  const ListedAccount = named('ListedAccount', exactly(fields), example)
  const FoundAccounts = named(
    'FoundAccounts',
    exactly({
      limit: Id,
      total: {
        type: ['integer', 'null'],
        minimum: 0,
        description:
          'How many accounts match: of all accounts, or of those that match a filter which few do, 2,000 at most; null where they are not counted',
      },
      data: { type: 'array', items: ListedAccount },
      next: {
        ...TextOrNull,
        description:
          'The `cursor` of what follows; null at the end. A page looks through some 20,000 accounts at most, so that one with several filters may be short, or empty, and have a `next`',
      },
      previous: {
        ...TextOrNull,
        description: 'The `cursor` of what precedes; null at the start',
      },
    }),
    { limit: 10, total: 1, data: [example], next: null, previous: null },
  )
  const { AccountPage } = accountSchemas(roles)
  return {
    FoundAccounts,
    /** Page numbers without filters: the form of version 1. */
    AccountAnswer: { oneOf: [AccountPage, FoundAccounts] } as const,
    accountQuery: (maxLimit: number) => accountQuery(maxLimit, roles),
  } as const
}

export type FoundAccounts = Static<ReturnType<typeof accountListSchemas>['FoundAccounts']>

function accountQuery(maxLimit: number, roles: readonly Role[]) {
  const { page, limit } = listQuery(maxLimit).properties
  const flag = (description: string) =>
    ({ type: 'boolean', description, examples: [true] }) as const
  const time = (description: string) =>
    ({ ...Time, description, examples: ['2026-01-15T12:00:00Z'] }) as const
  return {
    type: 'object',
    properties: {
      page: {
        ...page,
        description:
          'Without any parameter but `limit`; the accounts are in the order of user ids then. A value that is no such integer counts as 1. With others, `cursor` names the page',
      },
      limit,
      search: {
        type: 'string',
        maxLength: maxAccountSearchLength,
        description:
          'Part of username, name, e-mail or verified address, in any case; one or two characters: their beginning',
        examples: ['ann'],
      },
      role: {
        type: 'string',
        enum: roles,
        description: 'Accounts that have this role, among others',
        examples: ['ADMIN'],
      },
      state: {
        type: 'string',
        enum: accountStates,
        description:
          '`locked`: by an administrator; `locked_out`: for some time, after failed logins; `must_change`: the next login must set a password; `active`: neither locked, locked out nor disabled; `deletion_pending`: its owner has deleted it, and it waits to be erased',
      },
      second_factor: flag('Whether a login requires a second factor'),
      verified: flag('Whether there is a verified address'),
      imported: flag('Whether an import has made it'),
      provider: {
        type: 'string',
        description:
          'The name or the issuer of an identity provider that signs in to it; empty: accounts without one',
        examples: ['default'],
      },
      last_login: {
        type: 'string',
        enum: ['never'],
        description: 'Accounts without a login; without `last_login_after` and `last_login_before`',
      },
      last_login_after: time('The last login was later'),
      last_login_before: time(
        'The last login was earlier; accounts without one are not among them',
      ),
      sort: {
        type: 'string',
        enum: accountSortKeys.flatMap((key) => [key, `-${key}`]),
        default: 'username',
        description: 'A minus stands for descending order',
        examples: ['-last_login_at'],
      },
      cursor: {
        type: 'string',
        description: 'The `next` or `previous` of a page, with the same filters and `sort`',
      },
    },
  } as const
}

export function showPage(
  { accounts, total, next, previous }: AccountListPage,
  { limit, order }: Pick<AccountListQuery, 'limit' | 'order'>,
  roles: readonly Role[],
): FoundAccounts {
  const write = (cursor: AccountCursor | null) => cursor && writeAccountCursor(cursor, order)
  return {
    limit,
    total,
    data: accounts.map((row) => ({
      username: row.username,
      user_id: row.user_id,
      name: row.name,
      email: row.email,
      verified_email: row.verified_email,
      roles: rolesAmong(splitRoles(row.roles), roles),
      locked: row.locked === 1,
      locked_until: isoTimeOrNull(row.locked_until),
      active: row.active === 1,
      deletion_at: isoTimeOrNull(row.deletion_at),
      must_change: row.must_change === 1,
      second_factor: row.second_factor === 1,
      identities: Number(row.identities),
      imported: row.import_id !== null,
      last_login_at: isoTimeOrNull(row.last_login_at),
      created_at: isoTime(row.created_at),
    })),
    next: write(next),
    previous: write(previous),
  }
}
