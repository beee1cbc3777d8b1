import { eventType } from '../../core/events/types.ts'
import type { Account } from '../authentication/account.ts'

/** After a change, or before removal. */
type AccountFields = {
  readonly user_id: number
  readonly username: string
  readonly roles: readonly string[]
  readonly locked: boolean
  readonly active: boolean
}
const accountFields = { user_id: '', username: '', roles: '', locked: '', active: '' }

export const passwordChange = eventType<AccountFields & { what?: 'reset' }>(
  'authn_password_change',
  {
    groups: ['credentials'],
    notice: { message: 'password_changed' },
    description: 'a password is changed, or reset',
    fields: {
      ...accountFields,
      what: '`reset`: the next login must set another one',
    },
    words: { en: 'Password changed', de: 'Passwort geändert' },
  },
)

export const passwordChangeFail = eventType<{ user_id: number | null }>(
  'authn_password_change_fail',
  {
    level: 'warn',
    groups: ['refusedLogins'],
    description: 'the present password is wrong',
    fields: { user_id: '' },
    words: { en: 'Change of a password refused', de: 'Änderung eines Passworts abgelehnt' },
  },
)

export const permissionsChange = eventType<AccountFields>('privilege_permissions_changed', {
  groups: ['accounts'],
  inOverview: true,
  description: 'the roles of an account, its lock or its flag `active` are changed',
  fields: accountFields,
  words: {
    en: 'Roles or lock of an account changed',
    de: 'Rollen oder Sperre eines Kontos geändert',
  },
})

export const accountDeletionRequested = eventType<AccountFields & { deletion_at: string }>(
  'account_deletion_requested',
  {
    groups: [],
    notice: { message: 'deletion_requested', isMailed: false },
    description:
      'an owner requests the deletion of the account, which then waits; the erasure is `user_deleted`, by `job`',
    fields: {
      ...accountFields,
      deletion_at: '',
    },
    words: { en: 'Deletion of an account requested', de: 'Löschung eines Kontos beantragt' },
  },
)

export const accountDeletionCancelled = eventType<{ user_id: number }>(
  'account_deletion_cancelled',
  {
    groups: [],
    notice: { message: 'deletion_cancelled' },
    description: 'a mailed link cancels the pending deletion of an account',
    fields: { user_id: '' },
    words: { en: 'Deletion of an account cancelled', de: 'Löschung eines Kontos zurückgenommen' },
  },
)

export const adminAction = eventType<
  | (Partial<Omit<AccountFields, 'user_id'>> & {
      user_id: number | null
      what: 'account_deleted' | 'must_change' | 'throttle_cleared'
    })
  | { user_id: null; what: 'throttle_address_cleared'; network: string }
>('authz_admin', {
  groups: ['accounts'],
  inOverview: true,
  description: 'another action of an administrator on an account, or on the limits of an address',
  fields: {
    ...accountFields,
    user_id: 'null if no account has the username',
    what: '',
    network: 'of an address: IPv4, or the /64 of IPv6',
  },
  words: { en: 'Action of an administrator', de: 'Aktion der Administration' },
})

export function fieldsOf({ userId, username, roles, locked, active }: Account): AccountFields {
  return { user_id: userId, username, roles, locked, active }
}
