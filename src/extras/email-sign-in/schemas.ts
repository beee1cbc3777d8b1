import { named } from '../../core/http/schemas.ts'
import { codeFields } from '../../modules/authentication/proof-schemas.ts'
import { loginModes } from '../../modules/login/settings.ts'
import { ann } from '../../modules/users/schemas.ts'
import {
  EmailField,
  exampleId,
  exampleToken,
  LanguageField,
  proofFields,
} from '../one-time-tokens/schemas.ts'

export const BeginEmailLogin = named(
  'SignInCode',
  {
    type: 'object',
    required: ['email'],
    properties: {
      email: { ...EmailField, description: 'The verified address of an account' },
      language: LanguageField,
    },
  },
  { email: ann.email },
)

/** Proof of mailbox access, and fields of later steps. */
const fields = {
  ...proofFields,
  mode: { type: 'string', enum: loginModes, description: 'What to answer' },
  new_password: {
    type: 'string',
    format: 'text',
    maxLength: 1024,
    description: 'For an account that must change its password',
  },
} as const

export const FinishEmailLogin = named(
  'SignInByCode',
  {
    type: 'object',
    // Untyped: malformed values count as wrong codes.
    properties: { ...fields, totp: {}, recovery_code: {} },
  },
  { token: exampleToken },
)

/** As clients should send. */
export const SentEmailLogin = {
  ...FinishEmailLogin,
  properties: { ...FinishEmailLogin.properties, ...codeFields },
} as const

export const finishExamples = {
  link: { token: exampleToken },
  code: { id: exampleId, code: '12345678', mode: 'pair' },
  'second factor': { token: exampleToken, totp: '492039' },
}
