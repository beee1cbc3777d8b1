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

/** Finds the group of a declared route; a raw URL could be spelt in another way. */
export function groupOf(routePattern: string): Group | undefined {
  return groups.find(
    ({ prefix }) => routePattern === prefix || routePattern.startsWith(`${prefix}/`),
  )
}
