import { Integer, Text, Time } from '../http/schemas.ts'

export const ProviderName = {
  type: 'object',
  required: ['provider'],
  properties: { provider: { type: 'string', description: 'A name of `OIDC_PROVIDERS`' } },
} as const

export const SignInQuery = {
  type: 'object',
  properties: {
    return_to: { type: 'string', description: 'A path of this service; anything else counts as /' },
  },
} as const

// Without types: a value that is no valid code is a wrong code, and is counted as one.
export const FactorBody = {
  type: 'object',
  properties: {
    totp: { description: 'Six digits' },
    recovery_code: { description: 'Text, in place of `totp`' },
  },
} as const

export const SessionAnswer = {
  type: 'object',
  required: ['message', 'csrf_token'],
  properties: { message: Text, csrf_token: Text },
} as const

export const LinkRequest = {
  type: 'object',
  required: ['provider'],
  properties: {
    provider: {
      type: 'string',
      maxLength: 32,
      description: 'A name of `OIDC_PROVIDERS`; `default` for the one without a name',
    },
    return_to: { type: 'string', maxLength: 2048, description: 'Where the browser lands' },
  },
} as const

export const LinkAnswer = {
  type: 'object',
  required: ['url'],
  properties: { url: { type: 'string', description: 'To be opened by the same browser' } },
  additionalProperties: false,
} as const

const IdentityBody = {
  type: 'object',
  required: ['id', 'provider', 'issuer', 'subject', 'created_at'],
  properties: {
    id: Integer,
    provider: { type: ['string', 'null'], description: 'Null: it is configured no more' },
    issuer: Text,
    subject: Text,
    created_at: Time,
  },
  additionalProperties: false,
} as const

export const IdentityList = { type: 'array', items: IdentityBody } as const

export const IdentityId = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', description: 'A positive integer' } },
} as const
