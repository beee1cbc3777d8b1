import { eventType, type NoPayload } from '../../core/events/types.ts'

/** An attempt was refused without being judged: too many failed before it. */
export const loginFailMax = eventType<NoPayload>('authn_login_fail_max', 'warn')

/**
 * So many attempts failed in a row that the account is locked for some time; `reset`: the last one was
 * a code of the second factor at a reset of the password.
 */
export const loginLock = eventType<{ user_id: number; during?: 'reset' }>(
  'authn_login_lock',
  'warn',
)

/** A secret of a client was refused without being compared: too many were wrong before it. */
export const clientFailMax = eventType<NoPayload>('authn_client_fail_max', 'warn')
