import { errorWith } from '../../core/http/declared-error.ts'
import { exactly, named, Text } from '../../core/http/schemas.ts'

/** Shortened: three base64url texts with dots between them. */
const token = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjFmIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl'
const refreshToken = 'eyJhbGciOiJIUzI1NiIsImtpZCI6IjJhIn0.eyJzdWIiOiI3In0.c2lnbmF0dXJl'

export const tokenExamples = { token, refreshToken } as const

const tokenType = { type: 'string', const: 'Bearer' } as const
const expiresIn = { type: 'integer', minimum: 1, description: 'Seconds' } as const

/** Spec 4.1. */
export const AccessToken = named(
  'AccessToken',
  exactly({ token: Text, token_type: tokenType, expires_in: expiresIn }),
  { token, token_type: 'Bearer', expires_in: 3600 },
)

/** Spec 2.5. */
export const TokenPair = named(
  'TokenPair',
  exactly({
    access_token: Text,
    refresh_token: Text,
    token_type: tokenType,
    expires_in: expiresIn,
  }),
  { access_token: token, refresh_token: refreshToken, token_type: 'Bearer', expires_in: 900 },
)

/** Spec 4.1. */
export const Refreshed = named(
  'RefreshedToken',
  {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: {
      access_token: Text,
      refresh_token: { type: 'string', description: 'With REFRESH_ROTATION=on' },
      token_type: tokenType,
      expires_in: expiresIn,
    },
    additionalProperties: false,
  },
  { access_token: token, token_type: 'Bearer', expires_in: 900 },
)

export const SentRefreshToken = named(
  'RefreshRequest',
  { type: 'object', required: ['refresh_token'], properties: { refresh_token: Text } },
  { refresh_token: refreshToken },
)

export const enrolmentRequired = errorWith(
  'enrolmentRequired',
  {
    enrolment_token: {
      type: 'string',
      description: 'A bearer token for the operations that enrol a second factor, for 10 minutes',
    },
  },
  { enrolment_token: token },
)
