import { eventType } from '../../core/events/types.ts'

export const sessionExpired = eventType<{
  user_id: number
  ended_at: string
}>('session_expired', {
  groups: [],
  description: 'a session is deleted that has come to its timeout; within a minute of it',
  fields: { user_id: '', ended_at: '' },
  words: { en: 'Session expired', de: 'Sitzung abgelaufen' },
})

export const sessionCreated = eventType<{ user_id: number }>('session_created', {
  groups: ['logins'],
  description: 'a session begins',
  fields: { user_id: '' },
  words: { en: 'Session began', de: 'Sitzung begonnen' },
})

export const sessionEnded = eventType<{
  user_id: number
  reason: 'logout' | 'owner' | 'operator' | 'everywhere' | 'administrator' | 'limit' | 'replaced'
  count?: number
}>('session_ended', {
  groups: ['logins'],
  description: 'a session is ended, by a logout for example',
  fields: {
    user_id: '',
    reason:
      'with `everywhere` and `administrator` all sessions, or all but that of the caller; `operator`: one session, by a command',
    count: 'absent for one',
  },
  words: { en: 'Session ended', de: 'Sitzung beendet' },
})

export const sensitiveUpdate = eventType<{ user_id: number; what: 'transfer' }>(
  'sensitive_update',
  {
    groups: ['accounts'],
    inOverview: true,
    description: 'a transfer',
    fields: { user_id: '', what: '' },
    words: {
      en: 'Login transferred to another person',
      de: 'Zugang auf eine andere Person übertragen',
    },
  },
)
