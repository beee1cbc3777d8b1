import {
  exactly,
  Id,
  idIn,
  named,
  pageExample,
  pageOf,
  rolesOf,
  Text,
  TextOrNull,
  Time,
} from '../../core/http/schemas.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { AccountField } from '../../modules/accounts/account-field.ts'
import { accountSchemas, examplePasswords, Password } from '../../modules/accounts/schemas.ts'
import { ann } from '../../modules/users/schemas.ts'
import {
  EmailField,
  exampleId,
  exampleToken,
  LanguageField,
  proofFields,
} from '../one-time-tokens/schemas.ts'
import { invitationStates } from './invitation.ts'

const Name = { type: 'string', minLength: 1, maxLength: 100, format: 'text' } as const
const Language = {
  ...LanguageField,
  description: 'Of the mail; the default is that of the request',
} as const

export const Profile = {
  type: 'object',
  required: ['username', 'name', 'password'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 256 },
    name: Name,
    password: Password,
  },
} as const

const ownFields = { ...Profile.properties, language: Language } as const
const profileExample = { username: 'ann', name: ann.name, password: examplePasswords.present }

export const BeginSignUp = named(
  'SignUp',
  {
    type: 'object',
    required: ['email'],
    properties: { email: EmailField, language: Language },
  },
  { email: ann.email },
)

/** With the fields of other modules. */
export function newOwnerSchemas(fields: readonly AccountField[]) {
  const more = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
  const FinishSignUp = named(
    'NewOwner',
    {
      type: 'object',
      required: Profile.required,
      // Only fixed fields are typed; each module checks its own.
      properties: { ...proofFields, ...ownFields, ...more } as typeof proofFields &
        typeof ownFields,
    },
    { token: exampleToken, ...profileExample },
  )
  const AcceptInvitation = named(
    'InvitationAcceptance',
    {
      type: 'object',
      required: ['token', ...Profile.required],
      properties: { token: proofFields.token, ...ownFields, ...more } as Pick<
        typeof proofFields,
        'token'
      > &
        typeof ownFields,
    },
    { token: exampleToken, ...profileExample },
  )
  return { FinishSignUp, AcceptInvitation } as const
}

export const finishExamples = {
  link: { token: exampleToken, ...profileExample },
  code: { id: exampleId, code: '12345678', ...profileExample },
}

export const InvitationId = idIn(12)

export function invitationSchemas(roles: readonly Role[]) {
  const { AccountBody, CreateAccount } = accountSchemas(roles)
  const example = {
    id: 12,
    email: ann.email,
    name: ann.name,
    roles: ['USER'],
    state: 'pending',
    invited_by: 1,
    created_at: '2026-03-02T09:00:00.000Z',
    expires_at: '2026-03-09T09:00:00.000Z',
    accepted_at: null,
    revoked_at: null,
    user_id: null,
  } as const
  const InvitationBody = named(
    'Invitation',
    exactly({
      id: Id,
      email: Text,
      name: TextOrNull,
      roles: rolesOf(roles),
      state: { type: 'string', enum: invitationStates },
      invited_by: {
        type: ['integer', 'null'],
        description: 'The user id of the administrator; null: the command line, or deleted',
      },
      created_at: Time,
      expires_at: Time,
      accepted_at: { type: ['string', 'null'], format: 'date-time' },
      revoked_at: { type: ['string', 'null'], format: 'date-time' },
      user_id: { type: ['integer', 'null'], description: 'The user who accepted it' },
    }),
    example,
  )
  const CreateInvitation = named(
    'NewInvitation',
    {
      type: 'object',
      required: ['email', 'roles'],
      properties: {
        email: EmailField,
        roles: CreateAccount.properties.roles,
        name: { ...Name, description: 'Of the person, for the message and the form' },
        language: Language,
      },
    },
    { email: ann.email, roles: ['USER'], name: ann.name },
  )
  const InvitationPage = named(
    'InvitationPage',
    pageOf(InvitationBody, 'Count of all invitations'),
    pageExample(example),
  )
  return { AccountBody, InvitationBody, CreateInvitation, InvitationPage } as const
}

export type InvitationSchemas = ReturnType<typeof invitationSchemas>
