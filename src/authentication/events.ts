import { eventType } from '../events/types.ts'

/**
 * A login failed. By a password: the user, null if no account has the name. By a provider: its name
 * and the reason, null if the fault was not in the answer of the provider.
 */
export const loginFail = eventType<{
  user_id?: number | null
  provider?: string
  reason?: string | null
}>('authn_login_fail', 'warn')

export const loginSuccess = eventType<{ user_id: number }>('authn_login_success')
