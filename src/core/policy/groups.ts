import { anyone, type Rule, role } from './rules.ts'

/** A path prefix with a rule that applies to all of its routes. Spec 4.3. */
export interface Group {
  readonly prefix: string
  readonly rule: Rule
}

export const groups: readonly Group[] = [
  { prefix: '/api/public', rule: anyone },
  { prefix: '/api/admin', rule: role('ADMIN') },
  { prefix: '/api/editor', rule: role('EDITOR', 'ADMIN') },
  { prefix: '/api/user', rule: role('USER') },
]

/** The prefixes of the routes of the own account: for any account, and for the role USER. */
export const ownAccountPrefixes = ['/api/account', '/api/user/account'] as const

/** The operation id of a route of the own account: each prefix has ids of its own. */
export function ownOperationId(id: string, prefix: string): string {
  return prefix === '/api/user/account' ? `${id}AsUser` : id
}

/** Finds the group of a declared route; a raw URL could be spelt in another way. */
export function groupOf(routePattern: string): Group | undefined {
  return groups.find(
    ({ prefix }) => routePattern === prefix || routePattern.startsWith(`${prefix}/`),
  )
}
