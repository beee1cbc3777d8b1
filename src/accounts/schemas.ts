import { Integer, pageOf, rolesOf, Text, Time } from '../http/schemas.ts'
import type { Role } from '../kernel/principal.ts'
import { CreateUser } from '../users/schemas.ts'

export const Password = { type: 'string', format: 'text', maxLength: 1024 } as const
export const Captcha = {
  type: 'string',
  maxLength: 4096,
  description: 'The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it',
} as const

/** The JSON schemas of accounts, in a service that has these roles. */
export function accountSchemas(roles: readonly Role[]) {
  const AccountBody = {
    type: 'object',
    required: ['username', 'user_id', 'roles', 'locked', 'active', 'second_factor', 'created_at'],
    properties: {
      username: Text,
      user_id: Integer,
      roles: rolesOf(roles),
      locked: { type: 'boolean' },
      active: { type: 'boolean' },
      second_factor: { type: 'boolean' },
      created_at: Time,
    },
    additionalProperties: false,
  } as const

  const maxLength = Math.max(...roles.map(({ length }) => length))
  const WantedRoles = {
    type: 'array',
    items: { type: 'string', maxLength: Math.max(32, 'ROLE_'.length + maxLength) },
    maxItems: Math.max(16, roles.length),
    description: `${roles.join(', ')}; a leading ROLE_ is removed`,
  } as const

  const CreateAccount = {
    type: 'object',
    required: ['username', 'password', 'roles'],
    properties: {
      username: { type: 'string', minLength: 1, maxLength: 256 },
      password: Password,
      roles: WantedRoles,
      must_change: { type: 'boolean' },
      user_id: {
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'A user that exists; or else give name and email',
      },
      ...CreateUser.properties,
    },
  } as const

  const UpdateAccount = {
    type: 'object',
    properties: {
      roles: WantedRoles,
      locked: { type: 'boolean' },
      active: { type: 'boolean' },
      password: Password,
      must_change: { type: 'boolean' },
    },
  } as const

  const AccountPage = pageOf(AccountBody, 'Count of all accounts')
  return { AccountBody, AccountPage, CreateAccount, UpdateAccount } as const
}

export type AccountSchemas = ReturnType<typeof accountSchemas>

export const AccountName = {
  type: 'object',
  required: ['username'],
  properties: { username: Text },
} as const
