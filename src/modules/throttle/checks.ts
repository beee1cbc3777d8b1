import type { Check } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext } from '../../core/checks/context.ts'

const loginLimits: Check<OfflineContext> = {
  id: 'login_limits',
  level: 'warning',
  passMessage: 'failed logins are limited',
  why: 'Without a limit a password can be guessed as fast as the service answers.',
  mend: { do: 'Leave the setting out, or set a number.', setting: 'LOGIN_ATTEMPTS=5' },
  find({ config: { login } }) {
    if (login.perUsername.attempts > 0) return []
    return [{ what: 'LOGIN_ATTEMPTS is 0: no limit for each username and address.' }]
  },
}

export const checks: ModuleChecks = { offline: [loginLimits] }
