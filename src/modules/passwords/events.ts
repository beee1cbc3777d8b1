import { eventType } from '../../core/events/types.ts'

export const passwordBreachQueryFail = eventType<{ reason: string }>('password_breach_query_fail', {
  level: 'warn',
  groups: [],
  description: 'a new password was not looked up: `PASSWORD_BREACH_URL` did not answer',
  fields: { reason: '' },
  words: {
    en: 'List of breached passwords did not answer',
    de: 'Liste bekannter Passwörter antwortet nicht',
  },
})
