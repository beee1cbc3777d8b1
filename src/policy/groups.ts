import { anyone, type Rule, role } from './rules.ts'

/** A prefix of the route table whose routes all ask for the same thing first. Spec 4.3. */
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

/** Where the routes of the own account stand: for the role USER, and for any account. */
export const ownAccountPrefixes = ['/api/user/account', '/api/account'] as const

/** The group of a declared route, never of a raw URL, so that no spelling can slip past it. */
export function groupOf(routePattern: string): Group | undefined {
  return groups.find(
    ({ prefix }) => routePattern === prefix || routePattern.startsWith(`${prefix}/`),
  )
}
