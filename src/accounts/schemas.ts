import { Integer, pageOf, Roles, Text, Time } from '../http/schemas.ts'
import { CreateUser } from '../users/schemas.ts'

/** How an account is shown: never its hash. */
export const AccountBody = {
  type: 'object',
  required: ['username', 'user_id', 'roles', 'locked', 'active', 'second_factor', 'created_at'],
  properties: {
    username: Text,
    user_id: Integer,
    roles: Roles,
    locked: { type: 'boolean' },
    active: { type: 'boolean' },
    second_factor: { type: 'boolean' },
    created_at: Time,
  },
  additionalProperties: false,
} as const

export const AccountPage = pageOf(AccountBody, 'Count of all accounts')

export const Password = { type: 'string', format: 'text', maxLength: 1024 } as const
export const Captcha = {
  type: 'string',
  maxLength: 4096,
  description: 'The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it',
} as const

const WantedRoles = {
  type: 'array',
  items: { type: 'string', maxLength: 32 },
  maxItems: 16,
  description: 'USER, EDITOR, ADMIN; a leading ROLE_ is removed',
} as const

export const CreateAccount = {
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

export const UpdateAccount = {
  type: 'object',
  properties: {
    roles: WantedRoles,
    locked: { type: 'boolean' },
    active: { type: 'boolean' },
    password: Password,
    must_change: { type: 'boolean' },
  },
} as const

export const AccountName = {
  type: 'object',
  required: ['username'],
  properties: { username: Text },
} as const
