import { anyone, type Rule, role } from './rules.ts'

/** A path prefix with a rule that applies to all of its routes. Spec 4.3. */
export interface Group {
  readonly prefix: string
  readonly rule: Rule
  /** The tag of its operations in OpenAPI, unless their room has one. */
  readonly tag?: string
}

export const groups: readonly Group[] = [
  { prefix: '/api/public', rule: anyone, tag: 'Service' },
  { prefix: '/api/admin', rule: role('ADMIN'), tag: 'Administration' },
  { prefix: '/api/editor', rule: role('EDITOR', 'ADMIN') },
  { prefix: '/api/user', rule: role('USER') },
]

/** The prefixes of the routes of the own account: for the role USER, and for any account. */
export const ownAccountPrefixes = ['/api/user/account', '/api/account'] as const

/** Finds the group of a declared route; a raw URL could be spelt in another way. */
export function groupOf(routePattern: string): Group | undefined {
  return groups.find(
    ({ prefix }) => routePattern === prefix || routePattern.startsWith(`${prefix}/`),
  )
}
