import { exactly, named, Text, TimeOrNull } from '../../core/http/schemas.ts'

const tokenPurposes = ['signing', 'refresh', 'identity'] as const
const purpose = {
  type: 'string',
  enum: tokenPurposes,
  description:
    '`signing`: access tokens; `refresh`: refresh tokens, which only this service reads; `identity`: ID tokens of applications',
} as const

const example = {
  kid: '5vKp2mQwXb3nTz8h',
  purpose: 'signing',
  algorithm: 'RS256',
  state: 'verifies',
  configured: false,
  created_at: '2026-01-02T08:00:00.000Z',
  signs_from: '2026-01-02T08:10:00.000Z',
  verifies_until: '2026-03-02T08:21:00.000Z',
  can_retire: true,
}

export const KeyId = {
  type: 'object',
  properties: { kid: { ...Text, examples: [example.kid] } },
} as const

/** A key of the key set, never its material. */
export const StoredKey = named(
  'StoredKey',
  {
    type: 'object',
    required: [
      ...['kid', 'purpose', 'algorithm', 'state', 'configured'],
      ...['created_at', 'signs_from', 'verifies_until', 'can_retire'],
    ] as const,
    properties: {
      kid: { ...Text, description: 'As in the header of its tokens' },
      purpose: {
        type: 'string',
        enum: [...tokenPurposes, 'data'],
        description: '`data`: encrypts stored secrets, and is never replaced',
      },
      algorithm: Text,
      state: {
        type: 'string',
        enum: ['signs', 'published', 'verifies', 'ended', 'encrypts'],
        description:
          '`published`: signs later; `verifies`: tokens that it signed are still accepted',
      },
      configured: {
        type: 'boolean',
        description: 'TOKEN_SECRET or TOKEN_PRIVATE_KEY, which can only be replaced there',
      },
      created_at: { ...TimeOrNull, description: 'Null for a configured key' },
      signs_from: { ...TimeOrNull, description: 'Null: since it was made' },
      verifies_until: { ...TimeOrNull, description: 'Null: until it is replaced' },
      can_retire: { type: 'boolean', description: 'Whether it can be ended now' },
    },
    additionalProperties: false,
  },
  example,
)

export const KeyList = named(
  'KeyList',
  exactly({
    data: {
      type: 'array',
      items: StoredKey,
      description: 'The configured keys, then all others, the newest first',
    },
  }),
  { data: [example] },
)

export const RotateKey = named(
  'RotateKey',
  {
    type: 'object',
    properties: {
      purpose: { ...purpose, default: 'signing' },
      at_once: {
        type: 'boolean',
        default: false,
        description:
          'For a key that leaked: the new one signs in 3 seconds, and the old one can be retired then. Services that keep the public keys may refuse tokens of the new one for 5 minutes',
      },
    },
  },
  { purpose: 'signing', at_once: false },
)

export const RotatedKey = named(
  'RotatedKey',
  exactly({
    kid: { ...Text, description: 'Of the new key' },
    purpose,
    before: { ...Text, description: 'The key that signed until now, and still verifies' },
    signs_from: {
      ...TimeOrNull,
      description: 'When the new one begins to sign; null: in 3 seconds',
    },
  }),
  {
    kid: 'q3Rk0ZtBxW5vKp2m',
    purpose: 'signing',
    before: example.kid,
    signs_from: '2026-03-02T08:10:00.000Z',
  },
)
