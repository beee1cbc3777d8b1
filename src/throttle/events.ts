import { eventType, type NoPayload } from '../events/types.ts'

/** An attempt was refused unseen: too many have failed before it. */
export const loginFailMax = eventType<NoPayload>('authn_login_fail_max', 'warn')

/** So many attempts have failed in a row that the account takes none for a while. */
export const loginLock = eventType<{ user_id: number }>('authn_login_lock', 'warn')
