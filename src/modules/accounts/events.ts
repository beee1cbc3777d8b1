import { eventType } from '../../core/events/types.ts'
import type { Account } from '../authentication/account.ts'

/** An account after its change, or before its removal. */
type AccountFields = {
  readonly user_id: number
  readonly username: string
  readonly roles: readonly string[]
  readonly locked: boolean
  readonly active: boolean
}

/**
 * A password was changed, by the owner or by another caller; `reset`: the next login must set one.
 */
export const passwordChange = eventType<AccountFields & { what?: 'reset' }>('authn_password_change')

/** A password was not changed: the present password in the request was wrong. */
export const passwordChangeFail = eventType<{ user_id: number | null }>(
  'authn_password_change_fail',
  'warn',
)

/** The roles, the administrator's lock or the flag `active` were changed. */
export const permissionsChange = eventType<AccountFields>('privilege_permissions_changed')

/** The owner asked for the deletion of the account, which waits until `deletion_at`. */
export const accountDeletionRequested = eventType<AccountFields & { deletion_at: string }>(
  'account_deletion_requested',
)

/** A link that was mailed to the owner brought the account back before its deletion. */
export const accountDeletionCancelled = eventType<{ user_id: number }>('account_deletion_cancelled')

/**
 * Another action of an administrator on an account; `user_id` is null if no account has the
 * username. Or the limits of an address were cleared: IPv4, or the /64 network of IPv6.
 */
export const adminAction = eventType<
  | (Partial<Omit<AccountFields, 'user_id'>> & {
      user_id: number | null
      what: 'account_deleted' | 'must_change' | 'throttle_cleared'
    })
  | { user_id: null; what: 'throttle_address_cleared'; network: string }
>('authz_admin')

/** The fields of an account in an event. */
export function fieldsOf({ userId, username, roles, locked, active }: Account): AccountFields {
  return { user_id: userId, username, roles, locked, active }
}
