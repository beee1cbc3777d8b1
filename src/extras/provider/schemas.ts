import {
  exactly,
  Flag,
  named,
  pageExample,
  pageOf,
  Text,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'

const Scopes = { type: 'array', items: Text } as const
const GivenAt = { ...TimeOrNull, description: 'Null: the application needs no consent' } as const
const example = { scopes: ['openid', 'profile'], given_at: '2026-03-02T09:00:00.000Z' }

export const AccessList = named(
  'ApplicationAccesses',
  {
    type: 'array',
    items: exactly({
      client: Text,
      name: { ...Text, description: 'For people; the id if the client is gone' },
      scopes: Scopes,
      offline: { ...Flag, description: 'It keeps its access after a sign-out' },
      given_at: GivenAt,
    }),
  },
  [{ client: 'notes', name: 'Shop', offline: false, ...example }],
)

export const AccessOfAccount = {
  type: 'object',
  required: ['username', 'client'],
  properties: { ...AccountName.properties, client: { ...Text, examples: ['notes'] } },
} as const

const AccountOfClient = named(
  'AccountOfApplication',
  exactly({
    user_id: { type: 'integer' },
    username: Text,
    scopes: Scopes,
    given_at: GivenAt,
  }),
  { user_id: 7, username: 'ann', ...example },
)

export const AccountPage = named('AccountsOfApplication', pageOf(AccountOfClient), pageExample())
