import { eventType } from '../../core/events/types.ts'

type KeyFields = {
  readonly user_id: number
  readonly key_id: string
  readonly kind: 'key' | 'app_password'
}
const fields = { user_id: 'the owner', key_id: '', kind: '`key` or `app_password`' }

export const keyCreated = eventType<KeyFields & { readonly scopes: readonly string[] }>(
  'api_key_created',
  {
    groups: ['credentials'],
    inOverview: true,
    notice: { message: 'app_password_added', isOf: ({ kind }) => kind === 'app_password' },
    description: 'a key or an app password is made',
    fields: { ...fields, scopes: '' },
    words: { en: 'API key created', de: 'API-Schlüssel erstellt' },
  },
)

export const keyRotated = eventType<KeyFields & { readonly next_id: string }>('api_key_rotated', {
  groups: ['credentials'],
  description: 'a key gets a successor',
  fields: { ...fields, next_id: 'the successor' },
  words: { en: 'API key rotated', de: 'API-Schlüssel erneuert' },
})

export const keyRevoked = eventType<
  KeyFields & { readonly reason: 'administrator' | 'operator' | 'owner' | 'key' }
>('api_key_revoked', {
  groups: ['credentials'],
  description: 'a key or an app password is revoked',
  fields: { ...fields, reason: 'who revoked it; `key`: who knows the key' },
  words: { en: 'API key revoked', de: 'API-Schlüssel widerrufen' },
})

export const keysEnded = eventType<{ readonly user_id: number; readonly count: number }>(
  'api_keys_ended',
  {
    groups: ['credentials'],
    description: 'all keys of an account end with its logins',
    fields: { user_id: 'the owner', count: '' },
    words: { en: 'All API keys ended', de: 'API-Schlüssel beendet' },
  },
)

export const keyExpiring = eventType<
  KeyFields & { readonly expires_at: string; readonly told: number | null }
>('api_key_expiring', {
  groups: ['credentials'],
  notice: { message: 'key_expiring', to: 'told' },
  description: 'a key ends within a week',
  fields: { ...fields, expires_at: '', told: 'who made the key, and gets a notice' },
  words: { en: 'API key ends soon', de: 'API-Schlüssel endet bald' },
})
