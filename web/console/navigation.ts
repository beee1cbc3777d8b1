import { type Area, type AreaId, areasFor } from './areas.ts'

/** The areas in the order of the navigation, in groups that belong together. */
const groups: readonly (readonly AreaId[])[] = [
  ['overview', 'why'],
  ['accounts', 'users', 'invitations', 'imports', 'throttle'],
  ['posts', 'audit'],
  ['mail', 'webhooks', 'clients', 'keys'],
  ['settings', 'backups', 'doctor'],
]

/** The groups of a person with these roles; none is empty. */
export function groupsFor(roles: readonly string[]): readonly (readonly Area[])[] {
  const own = areasFor(roles)
  return groups
    .map((ids) => ids.flatMap((wanted) => own.filter(({ id }) => id === wanted)))
    .filter((group) => group.length > 0)
}
