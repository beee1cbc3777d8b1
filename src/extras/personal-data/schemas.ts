import { exactly, named, Text, Time } from '../../core/http/schemas.ts'
import { annsAccount } from '../../modules/accounts/schemas.ts'
import {
  acceptedProofs,
  examplePassword,
  sentProofs,
} from '../../modules/authentication/proof-schemas.ts'
import { ann } from '../../modules/users/schemas.ts'

const exported = '2026-03-01T09:30:00.000Z'

/** What the service holds of a person; the fields of `data` are those of docs/personal-data.md. */
export const PersonalDataBody = named(
  'PersonalData',
  exactly({
    exported_at: Time,
    user_id: { type: 'integer' },
    data: {
      type: 'object',
      description:
        'Each part is an object, null without one, or a list; further parts may be added.',
      required: ['user', 'account', 'sessions', 'posts', 'audit'],
      properties: {
        user: { type: ['object', 'null'], additionalProperties: true },
        account: { type: ['object', 'null'], additionalProperties: true },
        sessions: { type: 'array', items: { type: 'object', additionalProperties: true } },
        posts: { type: 'array', items: { type: 'object', additionalProperties: true } },
        audit: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
      additionalProperties: true,
    },
  }),
  {
    exported_at: exported,
    user_id: ann.id,
    data: {
      user: ann,
      account: { username: annsAccount.username, roles: annsAccount.roles },
      sessions: [],
      posts: [],
      audit: [],
    },
  },
)

/** The username says which account is meant, so that no request deletes one by mistake. */
const username = { ...Text, description: 'The username of the account, in any spelling' } as const

export const DeleteOwnAccount = {
  type: 'object',
  required: ['username'],
  properties: { username, ...acceptedProofs },
} as const

export const SentDeletion = named(
  'AccountDeletion',
  { ...DeleteOwnAccount, properties: { username, ...sentProofs } },
  { username: annsAccount.username, current_password: examplePassword },
)

export const DeletedOwnAccount = named(
  'AccountDeleted',
  {
    type: 'object',
    required: ['message'],
    properties: {
      message: Text,
      deletion_at: {
        ...Time,
        description:
          'When the account is erased unless its owner takes the deletion back; absent: it was erased',
      },
    },
    additionalProperties: false,
  },
  { message: 'Account deletion requested', deletion_at: '2026-03-09T09:30:00.000Z' },
)
