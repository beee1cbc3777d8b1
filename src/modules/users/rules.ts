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

// A change of an e-mail address can take an account over, and a deletion ends it. So under every
// policy only the owner and an ADMIN may do this to an ADMIN's user.
const guarded = any(unprivileged, owner, role('ADMIN'))

/** The rules of the users endpoints by the values of `USERS_POLICY`. Spec 4.3. */
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
