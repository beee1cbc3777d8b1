import {
  all,
  any,
  anyone,
  authenticated,
  owner,
  type Rule,
  role,
  unprivileged,
} from '../../core/policy/rules.ts'

export interface UsersRules {
  readonly list: Rule
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly remove: Rule
}

// An email change can take over an account: only the owner and an ADMIN may change or delete an
// ADMIN's user.
const guarded = any(unprivileged, owner, role('ADMIN'))

/** By `USERS_POLICY`. Spec 4.3. */
export const usersRules = {
  roles: {
    list: role('USER', 'ADMIN'),
    read: role('USER', 'ADMIN'),
    create: role('ADMIN'),
    update: any(owner, role('ADMIN')),
    remove: role('ADMIN'),
  },
  administrators: {
    list: role('ADMIN'),
    read: any(owner, role('ADMIN')),
    create: role('ADMIN'),
    update: any(owner, role('ADMIN')),
    remove: role('ADMIN'),
  },
  authenticated: {
    list: authenticated,
    read: authenticated,
    create: authenticated,
    update: all(authenticated, guarded),
    remove: all(authenticated, guarded),
  },
  open: { list: anyone, read: anyone, create: anyone, update: guarded, remove: guarded },
} as const satisfies Record<string, UsersRules>
