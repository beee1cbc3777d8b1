import type { Account } from '../authentication/account.ts'
import { eventType } from '../events/types.ts'

/** An account as it is once it is changed, or was before it was removed. */
type AccountFields = {
  readonly user_id: number
  readonly username: string
  readonly roles: readonly string[]
  readonly locked: boolean
  readonly active: boolean
}

/** By its owner or another one; `reset`: the next login must set another. */
export const passwordChange = eventType<AccountFields & { what?: 'reset' }>('authn_password_change')

/** The present password, which a change asks for, was wrong. */
export const passwordChangeFail = eventType<{ user_id: number | null }>(
  'authn_password_change_fail',
  'warn',
)

/** Roles, the administrator's lock or whether the account is in use. */
export const permissionsChange = eventType<AccountFields>('privilege_permissions_changed')

/** What else an administrator does to a user's logins; null where a username names none. */
export const adminAction = eventType<
  Partial<Omit<AccountFields, 'user_id'>> & {
    user_id: number | null
    what: 'account_deleted' | 'must_change' | 'throttle_cleared'
  }
>('authz_admin')

export function fieldsOf({ userId, username, roles, locked, active }: Account): AccountFields {
  return { user_id: userId, username, roles, locked, active }
}
