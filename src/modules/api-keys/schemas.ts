import { exactly, named, rolesOf, Text, Time, TimeOrNull } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type Role, rolesAmong } from '../../core/policy/principal.ts'
import { AccountName } from '../accounts/schemas.ts'
import { acceptedProofs, examplePassword, sentProofs } from '../authentication/proof-schemas.ts'
import { defaultDays, defaultOverlapSeconds, type MadeKey } from './api-keys.ts'
import type { StoredKey } from './store.ts'

const example = {
  ...{ id: 'q0Tn4kXn8Zc1mVbY', name: 'nightly report' },
  ...{ scopes: ['users:read'], roles: ['USER'] },
  created_at: '2026-03-02T09:00:00.000Z',
  expires_at: '2026-05-31T09:00:00.000Z',
  last_used_at: null,
}
const exampleText = 'gth_0000000000000000000000000000000000000000000000RVr3g'.slice(0, 53)

const Texts = { type: 'array', items: Text } as const

export function keySchemas(roles: readonly Role[]) {
  const fields = {
    id: Text,
    name: Text,
    scopes: Texts,
    roles: rolesOf(roles),
    created_at: Time,
    expires_at: Time,
    last_used_at: { ...TimeOrNull, description: 'To the minute' },
  } as const
  const KeyBody = named('ApiKey', exactly(fields), example)
  const NewKeyBody = named(
    'NewApiKey',
    exactly({
      ...fields,
      key: { type: 'string', description: 'Told once: only its digest is stored' },
    }),
    { ...example, key: exampleText },
  )
  return { KeyBody, KeyList: { type: 'array', items: KeyBody }, NewKeyBody } as const
}

const name = { type: 'string', minLength: 1, maxLength: 100, format: 'text' } as const
const scopes = {
  type: 'array',
  minItems: 1,
  maxItems: 32,
  items: { type: 'string', maxLength: 64 },
  description: 'The routes that it opens: see docs/access.txt; `posts:*` stands for all of posts',
} as const
const wantedRoles = {
  type: 'array',
  maxItems: 64,
  items: { type: 'string', maxLength: 64 },
  description: 'Roles of the account; by default all that it has now',
} as const
const days = {
  type: 'integer',
  minimum: 1,
  maximum: 3650,
  default: defaultDays,
} as const

export const wantedKey = { name, scopes, roles: wantedRoles, expires_in_days: days } as const

export const WantedKey = named(
  'WantedApiKey',
  { type: 'object', required: ['name', 'scopes'], properties: wantedKey },
  { name: example.name, scopes: example.scopes, expires_in_days: defaultDays },
)

const { scopes: keyScopes, ...wantedByPerson } = wantedKey
const appPassword = { ...wantedByPerson, scopes: { ...keyScopes, minItems: 0 } } as const

/** Without scopes it opens applications behind forward authentication alone. */
export const AppPasswordWanted = {
  type: 'object',
  required: ['name'],
  properties: { ...appPassword, ...acceptedProofs },
} as const

export const SentAppPassword = named(
  'WantedAppPassword',
  { type: 'object', required: ['name'], properties: { ...appPassword, ...sentProofs } },
  { name: 'calendar', current_password: examplePassword },
)

const overlap = {
  type: 'integer',
  minimum: 0,
  maximum: 30 * 86_400,
  default: defaultOverlapSeconds,
  description: 'How long the key stays valid beside its successor; 0: it ends at once',
} as const

export const rotation = { overlap_seconds: overlap } as const

export const Rotation = named(
  'ApiKeyRotation',
  { type: 'object', properties: rotation },
  { overlap_seconds: 0 },
)

export const AppPasswordRotation = {
  type: 'object',
  properties: { ...rotation, ...acceptedProofs },
} as const

export const SentAppPasswordRotation = named(
  'AppPasswordRotation',
  { type: 'object', properties: { ...rotation, ...sentProofs } },
  { current_password: examplePassword },
)

const keyId = {
  type: 'string',
  description: 'The `id` of a listed key',
  examples: [example.id],
} as const

export const KeyId = { type: 'object', required: ['id'], properties: { id: keyId } } as const

export const KeyOfAccount = {
  type: 'object',
  required: ['username', 'id'],
  properties: { ...AccountName.properties, id: keyId },
} as const

export const SentKey = named(
  'SentApiKey',
  {
    type: 'object',
    required: ['key'],
    properties: { key: { type: 'string', maxLength: 256 } },
  },
  { key: exampleText },
)

export function shownWith(roles: readonly Role[]) {
  return (key: StoredKey) => ({
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    roles: rolesAmong(key.roles, roles),
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt),
  })
}

export function showMade(roles: readonly Role[]) {
  const show = shownWith(roles)
  return ({ key, text }: MadeKey) => ({ ...show(key), key: text })
}
