import { eventType } from '../events/types.ts'

/**
 * A proof was wrong: whose it should have been, null if no account has the name; or why a provider's
 * was refused, null if that is no fault of the proof.
 */
export const loginFail = eventType<{
  user_id?: number | null
  provider?: string
  reason?: string | null
}>('authn_login_fail', 'warn')

export const loginSuccess = eventType<{ user_id: number }>('authn_login_success')
