import { languages } from '../config/languages.ts'
import { loginModes } from '../config/settings-table.ts'
import { named, Time } from '../http/schemas.ts'
import { codeFields } from '../totp/schemas.ts'
import { ann } from '../users/schemas.ts'

const exampleId = 'q5Wc1oJ4mN0b7Yt2xR9dEg'
const exampleToken = `${exampleId}.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk`

export const BeginEmailLogin = named(
  'SignInCode',
  {
    type: 'object',
    required: ['email'],
    properties: {
      email: { type: 'string', maxLength: 254, description: 'The verified address of an account' },
      language: {
        type: 'string',
        enum: languages,
        description: 'Of the mail, if the account has none',
      },
    },
  },
  { email: ann.email },
)

export const BegunEmailLogin = named(
  'BegunSignInCode',
  {
    type: 'object',
    required: ['id', 'expires_at'],
    properties: {
      id: { type: 'string', description: 'What the code of the mail is sent with' },
      expires_at: { ...Time, description: 'When the link and the code end' },
    },
    additionalProperties: false,
  },
  { id: exampleId, expires_at: '2026-03-02T09:10:00.000Z' },
)

/** What shows that the caller reads the mailbox, and the fields of the steps that may follow. */
const fields = {
  token: { type: 'string', maxLength: 128, description: 'Of the link; or else id and code' },
  id: { type: 'string', maxLength: 64, description: 'Of the answer to the beginning' },
  code: { type: 'string', maxLength: 32, description: 'Of the mail; spaces do not count' },
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
    // Without types: a value that is no valid code is a wrong code, and is counted as one.
    properties: { ...fields, totp: {}, recovery_code: {} },
  },
  { token: exampleToken },
)

/** The same, as a client should send it. */
export const SentEmailLogin = {
  ...FinishEmailLogin,
  properties: { ...FinishEmailLogin.properties, ...codeFields },
} as const

export const finishExamples = {
  link: { token: exampleToken },
  code: { id: exampleId, code: '12345678', mode: 'pair' },
  'second factor': { token: exampleToken, totp: '492039' },
}
