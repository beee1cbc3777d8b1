import { eventType } from '../../core/events/types.ts'

/**
 * A login failed. By a password: the user, null if no account has the name. By a provider: its name
 * and the reason, null if the fault was not in the answer of the provider.
 */
export const loginFail = eventType<{
  user_id?: number | null
  provider?: string
  reason?: string | null
}>('authn_login_fail', 'warn')

/** A change of the own account was refused because of a wrong proof. */
export const proofFail = eventType<{ user_id: number | null }>('authn_proof_fail', 'warn')

/** A login succeeded, and none of the account had failed since the one before. */
export const loginSuccess = eventType<{ user_id: number }>('authn_login_success')

/** A login succeeded after so many failures in a row, from any address. */
export const loginSuccessAfterFail = eventType<{ user_id: number; failures: number }>(
  'authn_login_successafterfail',
)

/** A login came from a device that the account does not know, while it knows others. */
export const loginNewDevice = eventType<{ user_id: number }>('authn_login_new_device')
