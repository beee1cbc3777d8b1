import {
  exactly,
  Id,
  named,
  pageExample,
  pageOf,
  rolesOf,
  Text,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import type { Role } from '../../core/policy/principal.ts'
import { examplePassword } from '../authentication/proof-schemas.ts'
import { ann, CreateUser } from '../users/schemas.ts'

export const Password = { type: 'string', format: 'text', maxLength: 1024 } as const

export const annsAccount = {
  username: 'ann',
  user_id: ann.id,
  roles: ['USER'],
  locked: false,
  active: true,
  second_factor: false,
  deletion_at: null,
  created_at: '2026-03-02T09:00:00.000Z',
} as const

export const examplePasswords = {
  present: examplePassword,
  next: 'amber-violin-thicket-87',
} as const

export const DeletionAt = {
  ...TimeOrNull,
  description:
    'When the account is erased, because its owner has deleted it; until then it cannot log in. Null otherwise',
} as const

export function accountSchemas(roles: readonly Role[]) {
  const AccountBody = named(
    'Account',
    exactly({
      username: Text,
      user_id: Id,
      roles: rolesOf(roles),
      locked: { type: 'boolean' },
      active: { type: 'boolean' },
      second_factor: { type: 'boolean' },
      deletion_at: DeletionAt,
      created_at: Time,
    }),
    annsAccount,
  )

  const maxLength = Math.max(...roles.map(({ length }) => length))
  const RolesInput = {
    type: 'array',
    items: { type: 'string', maxLength: Math.max(32, 'ROLE_'.length + maxLength) },
    maxItems: Math.max(16, roles.length),
    description: `${roles.join(', ')}; a leading ROLE_ is removed`,
  } as const

  const CreateAccount = named(
    'NewAccount',
    {
      type: 'object',
      required: ['username', 'roles'],
      properties: {
        username: { type: 'string', minLength: 1, maxLength: 256 },
        password: { ...Password, description: 'Required, unless `service` is true' },
        service: {
          type: 'boolean',
          description:
            'An account of a program, with keys alone: no password and no login; leave out password, must_change, user_id and email',
        },
        roles: RolesInput,
        must_change: { type: 'boolean' },
        user_id: {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'A user that exists; or else give name and email',
        },
        ...CreateUser.properties,
      },
    },
    { username: 'ann', password: examplePasswords.present, roles: ['USER'], user_id: ann.id },
  )

  const UpdateAccount = named(
    'AccountChanges',
    {
      type: 'object',
      properties: {
        roles: RolesInput,
        locked: { type: 'boolean' },
        active: { type: 'boolean' },
        password: Password,
        must_change: { type: 'boolean' },
      },
    },
    { roles: ['USER', 'EDITOR'] },
  )

  const AccountPage = named(
    'AccountPage',
    pageOf(AccountBody, 'Count of all accounts'),
    pageExample(annsAccount),
  )
  return { AccountBody, AccountPage, CreateAccount, UpdateAccount } as const
}

export type AccountSchemas = ReturnType<typeof accountSchemas>

export const AccountName = {
  type: 'object',
  required: ['username'],
  properties: { username: { type: 'string', description: 'In any case', examples: ['ann'] } },
} as const
