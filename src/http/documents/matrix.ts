import type { Principal, Role } from '../../kernel/principal.ts'
import { decide, type Resource } from '../../policy/decide.ts'
import type { Rule } from '../../policy/rules.ts'

/** The callers of the printed matrix: without credentials, with one role, and the owner. */
export type Caller = 'anonymous' | Role | 'owner'

/** Lists the callers for these roles. The owner has the role USER; no caller uses a client. */
export function callersOf<R extends Role>(
  roles: readonly R[],
): readonly ('anonymous' | R | 'owner')[] {
  return ['anonymous', ...roles, 'owner']
}

const ownerId = '1'
const strangerId = '2'

/** All combinations of the facts of a resource. */
const things: readonly Resource[] = [false, true].flatMap((privileged) =>
  [false, true].map((locked) => ({ ownerId, locked, privileged })),
)

/**
 * Decides a rule for a caller and all states of a resource; answers each different outcome once.
 */
export function verdicts(rule: Rule, caller: Caller): readonly (401 | 403 | 'admitted')[] {
  const principal = principalOf(caller)
  const refused = principal === null ? 401 : 403
  const all = things.map((thing) => (decide(rule, principal, thing) ? 'admitted' : refused))
  return [...new Set(all)]
}

function principalOf(caller: Caller): Principal | null {
  if (caller === 'anonymous') return null
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
