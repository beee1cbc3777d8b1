import type { Role } from '../kernel/principal.ts'

/** Who may do something, as data: it can be decided, printed, tested and put into OpenAPI. */
export type Rule =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'role'; readonly roles: readonly Role[] }
  | { readonly kind: 'owner' }
  | { readonly kind: 'unlocked' }
  | { readonly kind: 'all'; readonly rules: readonly Rule[] }
  | { readonly kind: 'any'; readonly rules: readonly Rule[] }

export const anyone: Rule = { kind: 'anyone' }
export const authenticated: Rule = { kind: 'authenticated' }
export const owner: Rule = { kind: 'owner' }
export const unlocked: Rule = { kind: 'unlocked' }
export const role = (...roles: Role[]): Rule => ({ kind: 'role', roles })
export const any = (...rules: Rule[]): Rule => ({ kind: 'any', rules })
export const all = (...rules: Rule[]): Rule => ({ kind: 'all', rules })

export interface UsersRules {
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly remove: Rule
}

/** The three answers to "which scheme guards which users endpoint" (`USERS_POLICY`). Spec 4.3. */
export const usersRules = {
  roles: {
    read: role('USER', 'ADMIN'),
    create: role('ADMIN'),
    update: any(owner, role('ADMIN')),
    remove: role('ADMIN'),
  },
  authenticated: {
    read: authenticated,
    create: authenticated,
    update: authenticated,
    remove: authenticated,
  },
  open: { read: anyone, create: anyone, update: anyone, remove: anyone },
} as const satisfies Record<string, UsersRules>

/** Posts, spec 4.3; who may delete is `POSTS_DELETE_POLICY`. */
export const postsRules = {
  read: role('USER', 'EDITOR', 'ADMIN'),
  create: role('EDITOR', 'ADMIN'),
  update: any(owner, all(role('ADMIN'), unlocked)),
  remove: { admin: role('ADMIN'), owner: any(owner, role('ADMIN')) },
} as const

/** A rule as one readable line, for the printed route table and OpenAPI. */
export function describeRule(rule: Rule): string {
  switch (rule.kind) {
    case 'role':
      return rule.roles.join(' or ')
    case 'any':
      return rule.rules.map(describeNested).join(' or ')
    case 'all':
      return rule.rules.map(describeNested).join(' and ')
    default:
      return rule.kind
  }
}

function describeNested(rule: Rule): string {
  const text = describeRule(rule)
  return rule.kind === 'any' || rule.kind === 'all' ? `(${text})` : text
}
