import { eventType } from '../../core/events/types.ts'

export const tokenCreated = eventType<{ user_id: number; grant: 'login' | 'refresh' }>(
  'authn_token_created',
  {
    groups: [],
    description: 'a token or a pair is issued',
    fields: { user_id: '', grant: '' },
    words: { en: 'Token issued', de: 'Token ausgestellt' },
  },
)

export const tokenRevoked = eventType<{
  user_id: number | null
  reason: 'logout' | 'administrator' | 'client'
}>('authn_token_revoked', {
  groups: [],
  description: 'a token is revoked',
  fields: {
    user_id: 'null if the token was named by its id alone, or is of a provider',
    reason: '',
  },
  words: { en: 'Token revoked', de: 'Token widerrufen' },
})

export const commitsLost = eventType<{ revocations_restored: number }>('sys_commits_lost', {
  level: 'warn',
  groups: ['service'],
  description: 'the database has lost revocations that this process knew; they are stored again',
  fields: { revocations_restored: '' },
  words: {
    en: 'Database lost revocations; stored again',
    de: 'Datenbank hat Widerrufe verloren; wieder gespeichert',
  },
})
