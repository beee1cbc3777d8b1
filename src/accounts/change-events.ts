import type { Account } from '../authentication/account.ts'
import type { EventName, Events } from '../events/events.ts'
import type { WantedChange } from './wanted-change.ts'

/** Records what somebody did to an account: `by` is the subject of who did it, or `cli`. */
export function recordAccount(
  events: Events,
  event: EventName,
  { userId, username, roles, locked, active }: Account,
  { by, what }: { readonly by: string; readonly what?: string },
): void {
  const account = { user_id: userId, username, roles, locked, active }
  events.record(event, { ...account, by, ...(what !== undefined && { what }) })
}

/** The same for a change of what is given: its account is shown as it is then. */
export function recordChange(
  events: Events,
  { roles, locked, active, password, mustChange }: WantedChange,
  account: Account,
  by: string,
): void {
  const isOfRights = [roles, locked, active].some((wanted) => wanted !== undefined)
  if (isOfRights) recordAccount(events, 'privilege_permissions_changed', account, { by })
  if (password !== undefined) recordAccount(events, 'authn_password_change', account, { by })
  else if (mustChange !== undefined) {
    recordAccount(events, 'authz_admin', account, { by, what: 'must_change' })
  }
}
