import { eventType, type NoPayload } from '../../core/events/types.ts'

export const loginFailMax = eventType<NoPayload>('authn_login_fail_max', {
  level: 'warn',
  groups: ['logins', 'refusedLogins'],
  description: 'a limit of attempts is full: an attempt is refused without being judged',
  fields: {},
  words: { en: 'Login throttled: too many attempts', de: 'Anmeldung gebremst: zu viele Versuche' },
})

export const loginLock = eventType<{ user_id: number; during?: 'reset' }>('authn_login_lock', {
  level: 'warn',
  groups: ['logins', 'refusedLogins'],
  notice: { message: 'locked' },
  description: 'failures in a row lock an account for some time',
  fields: {
    user_id: '',
    during: '`reset` if the last one was a code of the second factor at a reset',
  },
  words: {
    en: 'Account locked out after failed logins',
    de: 'Konto nach Fehlversuchen ausgesperrt',
  },
})

export const clientFailMax = eventType<NoPayload>('authn_client_fail_max', {
  level: 'warn',
  groups: ['refusedLogins'],
  description:
    'too many secrets of a client were wrong: the next is refused without being compared',
  fields: {},
  words: {
    en: 'Client throttled after wrong secrets',
    de: 'Client nach falschen Geheimnissen gebremst',
  },
})
