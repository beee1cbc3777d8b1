import { examplePasswords, Password } from '../accounts/schemas.ts'
import { languages } from '../config/languages.ts'
import { named, Time } from '../http/schemas.ts'
import { codeFields } from '../totp/schemas.ts'
import { ann } from '../users/schemas.ts'

const Email = {
  type: 'string',
  maxLength: 254,
  description: 'A mail address; its domain may be an international one',
} as const
const LanguageField = {
  type: 'string',
  enum: languages,
  description: 'Of the mail, if the account has none',
} as const
const exampleId = 'q5Wc1oJ4mN0b7Yt2xR9dEg'
const exampleToken = `${exampleId}.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk`

/** Whose password is to be reset: by one of the two. */
export const BeginReset = named(
  'Reset',
  {
    type: 'object',
    properties: {
      email: { ...Email, description: `The verified address. ${Email.description}` },
      username: { type: 'string', maxLength: 256 },
      language: LanguageField,
    },
  },
  { username: 'ann' },
)

export const BegunReset = named(
  'BegunReset',
  {
    type: 'object',
    required: ['id', 'expires_at'],
    properties: {
      id: { type: 'string', description: 'What the code of the mail is sent with' },
      expires_at: { ...Time, description: 'When the link and the code end' },
    },
    additionalProperties: false,
  },
  { id: exampleId, expires_at: '2026-03-02T09:30:00.000Z' },
)

/** What shows that the caller reads the mailbox. */
const proofFields = {
  token: { type: 'string', maxLength: 128, description: 'Of the link; or else id and code' },
  id: { type: 'string', maxLength: 64, description: 'Of the answer to the beginning' },
  code: { type: 'string', maxLength: 32, description: 'Of the mail; spaces do not count' },
} as const

export const FinishReset = named(
  'ResetPassword',
  {
    type: 'object',
    required: ['new_password'],
    // Without types: a value that is no valid code is a wrong code, and is counted as one.
    properties: { ...proofFields, new_password: Password, totp: {}, recovery_code: {} },
  },
  { token: exampleToken, new_password: examplePasswords.next },
)

/** The same, as a client should send it. */
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
        ...Email,
        description: 'For an account without a verified address: that of its owner',
      },
    },
  },
  { email: ann.email },
)

export const BegunResetFor = named(
  'BegunAdministratorsReset',
  {
    type: 'object',
    required: ['message', 'expires_at'],
    properties: {
      message: { type: 'string' },
      expires_at: { ...Time, description: 'When the link and the code end' },
    },
    additionalProperties: false,
  },
  { message: 'Reset mailed', expires_at: '2026-03-02T09:30:00.000Z' },
)
