import type { Principal, Role } from '../../kernel/principal.ts'
import { decide, type Resource } from '../../policy/decide.ts'
import type { Rule } from '../../policy/rules.ts'

/** Who calls, in the printed matrix: no one, an account with one role, and the owner of the thing. */
export type Caller = 'nobody' | Role | 'owner'

/** The callers of a service that has these roles. The owner has the role USER; none acts by a client. */
export function callersOf<R extends Role>(
  roles: readonly R[],
): readonly ('nobody' | R | 'owner')[] {
  return ['nobody', ...roles, 'owner']
}

const ownerId = '1'
const strangerId = '2'

/** The states of a thing that a rule may ask about. */
const things: readonly Resource[] = [false, true].flatMap((privileged) =>
  [false, true].map((locked) => ({ ownerId, locked, privileged })),
)

/**
 * What a rule means for a caller, once for each state of the thing where they differ: 401, 403, or
 * admitted.
 */
export function verdicts(rule: Rule, caller: Caller): readonly (401 | 403 | 'admitted')[] {
  const principal = principalOf(caller)
  const refused = principal === null ? 401 : 403
  const all = things.map((thing) => (decide(rule, principal, thing) ? 'admitted' : refused))
  return [...new Set(all)]
}

function principalOf(caller: Caller): Principal | null {
  if (caller === 'nobody') return null
  const role: Role = caller === 'owner' ? 'USER' : caller
  return {
    subject: caller === 'owner' ? ownerId : strangerId,
    username: caller,
    roles: new Set([role]),
    credential: { scheme: 'basic' },
    amr: [],
    authTime: 0,
  }
}
