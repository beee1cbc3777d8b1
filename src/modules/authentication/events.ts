import { eventType } from '../../core/events/types.ts'

export const loginFail = eventType<{
  user_id?: number | null
  provider?: string
  reason?: string | null
}>('authn_login_fail', {
  level: 'warn',
  groups: ['logins', 'refusedLogins'],
  description: 'a password, or an answer of a provider, is wrong',
  fields: {
    user_id: 'of a password; null if no account has the name',
    provider: 'of an answer of a provider',
    reason: 'null if the fault was not in the answer',
  },
  words: { en: 'Login refused', de: 'Anmeldung abgelehnt' },
})

export const proofFail = eventType<{ user_id: number | null }>('authn_proof_fail', {
  level: 'warn',
  groups: ['refusedLogins'],
  description:
    'the password or mailed code that was to confirm another change of the own account is wrong',
  fields: { user_id: '' },
  words: { en: 'Confirmation of a change refused', de: 'Bestätigung einer Änderung abgelehnt' },
})

export const loginSuccess = eventType<{ user_id: number }>('authn_login_success', {
  groups: ['logins'],
  description: 'a login, in any mode',
  fields: { user_id: '' },
  words: { en: 'Login', de: 'Anmeldung' },
})

export const loginSuccessAfterFail = eventType<{ user_id: number; failures: number }>(
  'authn_login_successafterfail',
  {
    groups: ['logins'],
    description:
      'a login after failures in a row, from any address, in place of `authn_login_success`',
    fields: { user_id: '', failures: '' },
    words: { en: 'Login after failed attempts', de: 'Anmeldung nach Fehlversuchen' },
  },
)

export const loginNewDevice = eventType<{ user_id: number }>('authn_login_new_device', {
  groups: ['logins'],
  notice: { message: 'new_sign_in' },
  description:
    'in addition to the login: it comes from a device that the account does not know yet, while it knows others; only for an account with a verified address ([notices.md](notices.md))',
  fields: { user_id: '' },
  words: { en: 'Login from a new device', de: 'Anmeldung von einem neuen Gerät' },
})
