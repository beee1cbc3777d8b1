import { exactly, named, Time } from '../../core/http/schemas.ts'
import { languages } from '../../core/lib/languages.ts'

/** `parseEmail` is stricter. */
export const EmailField = {
  type: 'string',
  maxLength: 320,
  format: 'text',
  description: 'A mail address; its domain may be an international one',
} as const

export const LanguageField = {
  type: 'string',
  enum: languages,
  description: 'Of the mail, if the account has none',
} as const

export const exampleId = 'q5Wc1oJ4mN0b7Yt2xR9dEg'
export const exampleToken = `${exampleId}.wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk`

/** The same response whether or not a mail is sent. */
export const BegunConfirmation = named(
  'BegunConfirmation',
  exactly({
    id: { type: 'string', description: 'What the code of the mail is sent with; new each time' },
    expires_at: {
      ...Time,
      description: 'When the code ends; the link too, unless it was mailed before: the mail says',
    },
  }),
  { id: exampleId, expires_at: '2026-03-02T09:30:00.000Z' },
)

export const proofFields = {
  token: { type: 'string', maxLength: 128, description: 'Of the link; or else id and code' },
  id: { type: 'string', maxLength: 64, description: 'Of the answer to the beginning' },
  code: { type: 'string', maxLength: 32, description: 'Of the mail; spaces do not count' },
} as const
