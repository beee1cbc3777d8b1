import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../core/checks/context.ts'

const loginLimits: Check<OfflineContext> = {
  id: 'login_limits',
  level: 'warning',
  passMessage: 'failed logins are limited',
  why: {
    en: 'Without a limit a password can be guessed as fast as the service answers.',
    de: 'Ohne Grenze lässt sich ein Passwort so schnell raten, wie der Dienst antwortet.',
  },
  mend: {
    do: {
      en: 'Leave the setting out, or set a number.',
      de: 'Lassen Sie die Einstellung weg, oder setzen Sie eine Zahl.',
    },
    setting: 'LOGIN_ATTEMPTS=5',
  },
  find({ config: { login } }) {
    if (login.perUsername.attempts > 0) return []
    return [
      {
        what: {
          en: 'LOGIN_ATTEMPTS is 0: no limit for each username and address.',
          de: 'LOGIN_ATTEMPTS ist 0: keine Grenze je Benutzername und Adresse.',
        },
      },
    ]
  },
}

export const checks: ModuleChecks = { offline: [loginLimits] }
