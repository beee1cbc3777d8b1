import { exactly, named, Time } from '../../core/http/schemas.ts'
import { examplePasswords, Password } from '../../modules/accounts/schemas.ts'
import { codeFields } from '../../modules/authentication/proof-schemas.ts'
import { ann } from '../../modules/users/schemas.ts'
import {
  EmailField,
  exampleId,
  exampleToken,
  LanguageField,
  proofFields,
} from '../one-time-tokens/schemas.ts'

export const BeginReset = named(
  'Reset',
  {
    type: 'object',
    properties: {
      email: { ...EmailField, description: `The verified address. ${EmailField.description}` },
      username: { type: 'string', maxLength: 256 },
      language: LanguageField,
    },
    description: 'Either `email` or `username`',
  },
  { username: 'ann' },
)

const NewPassword = {
  ...Password,
  description:
    'Absent only to take a deletion back, for an account without a password that signs in through a provider',
} as const

export const FinishReset = named(
  'ResetPassword',
  {
    type: 'object',
    // Untyped: malformed codes count as wrong codes.
    properties: { ...proofFields, new_password: NewPassword, totp: {}, recovery_code: {} },
  },
  { token: exampleToken, new_password: examplePasswords.next },
)

/** For clients. */
export const SentReset = {
  ...FinishReset,
  properties: { ...FinishReset.properties, ...codeFields },
} as const

export const finishExamples = {
  link: { token: exampleToken, new_password: examplePasswords.next },
  code: { id: exampleId, code: '12345678', new_password: examplePasswords.next },
  'second factor': { token: exampleToken, new_password: examplePasswords.next, totp: '492039' },
}

export const BeginResetFor = named(
  'AdministratorsReset',
  {
    type: 'object',
    properties: {
      email: {
        ...EmailField,
        description: 'For an account without a verified address: that of its owner',
      },
    },
  },
  { email: ann.email },
)

export const BegunResetFor = named(
  'BegunAdministratorsReset',
  exactly({
    message: { type: 'string' },
    expires_at: { ...Time, description: 'When the link and the code end' },
  }),
  { message: 'Reset mailed', expires_at: '2026-03-02T09:30:00.000Z' },
)
