import { exactly, Id, idIn, named, type Static, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { acceptedProofs, examplePassword, sentProofs } from '../authentication/proof-schemas.ts'
import type { LinkedIdentity } from './identity-store.ts'
import type { Providers } from './providers.ts'

export const ProviderName = {
  type: 'object',
  required: ['provider'],
  properties: {
    provider: { type: 'string', description: 'A name of `OIDC_PROVIDERS`', examples: ['acme'] },
  },
} as const

export const SignInQuery = {
  type: 'object',
  properties: {
    return_to: {
      type: 'string',
      description: 'A path of this service; anything else counts as /',
      examples: ['/console'],
    },
    again: {
      type: 'string',
      enum: ['1'],
      description: 'Has the person sign in at the provider once more, for a recent login',
    },
  },
} as const

/** RFC 6749 section 4.1.2, RFC 9207. */
export const CallbackQuery = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'To be exchanged for tokens, once', examples: ['Sxl2…'] },
    state: { type: 'string', description: 'Names the sign-in under way', examples: ['8hJ…'] },
    iss: { type: 'string', description: 'The issuer', examples: ['https://login.example.org'] },
    error: {
      type: 'string',
      description: 'Why there is no code',
      examples: ['access_denied'],
    },
    error_description: { type: 'string', description: 'The same in words, for the log' },
    name: {
      type: 'string',
      description: 'The name of a new user, from a form of the provider; unverified',
      examples: ['Ann Lee'],
    },
  },
} as const

/** Without types: the handler refuses what is no text. */
export const PostedReturn = { type: 'object', properties: {} } as const

/** OAuth 2.0 Form Post Response Mode. */
export const SentReturn = named(
  'ProviderForm',
  {
    type: 'object',
    required: ['state'],
    properties: {
      code: { type: 'string', description: 'To be exchanged for tokens, once' },
      state: { type: 'string', description: 'Names the sign-in under way' },
      iss: { type: 'string', description: 'The issuer' },
      error: { type: 'string', description: 'Why there is no code' },
      user: { type: 'string', description: 'JSON with the name, at the first sign-in (Apple)' },
    },
  },
  { state: '8hJ…', code: 'Sxl2…' },
)

// Without types: an invalid code counts as a wrong code.
export const FactorBody = {
  type: 'object',
  properties: {
    totp: {},
    recovery_code: {},
  },
} as const

const linkFields = {
  provider: {
    type: 'string',
    maxLength: 32,
    description: 'A name of `OIDC_PROVIDERS`; `default` for the one without a name',
  },
  return_to: { type: 'string', maxLength: 2048, description: 'Where the browser lands' },
} as const

export const LinkRequest = {
  type: 'object',
  required: ['provider'],
  properties: { ...linkFields, ...acceptedProofs },
} as const

export const SentLink = named(
  'IdentityLinkRequest',
  { ...LinkRequest, properties: { ...linkFields, ...sentProofs } },
  { provider: 'acme', return_to: '/console', current_password: examplePassword },
)

export const LinkAnswer = named(
  'IdentityLinkStart',
  exactly({ url: { type: 'string', description: 'To be opened by the same browser' } }),
  { url: 'https://login.example.org/authorize?client_id=gatehouse&state=8hJ…' },
)

const IdentityBody = named(
  'Identity',
  exactly({
    id: Id,
    provider: { type: ['string', 'null'], description: 'Null: it is configured no more' },
    issuer: Text,
    subject: Text,
    created_at: Time,
  }),
  {
    id: 3,
    provider: 'acme',
    issuer: 'https://login.example.org',
    subject: '248289761001',
    created_at: '2026-03-02T09:45:00.000Z',
  },
)

export const IdentityList = { type: 'array', items: IdentityBody } as const

export const IdentityId = idIn(3)

export function identityView(
  { id, issuer, subject, createdAt }: LinkedIdentity,
  providers: Pick<Providers, 'issuing'>,
): Static<typeof IdentityBody> {
  return {
    id,
    provider: providers.issuing(issuer)?.config.name ?? null,
    issuer,
    subject,
    created_at: isoTime(createdAt),
  }
}
