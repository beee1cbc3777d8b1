import { decide, type Resource } from '../../policy/decide.ts'
import {
  clientPermissions,
  type Principal,
  type Role,
  type Scheme,
} from '../../policy/principal.ts'
import type { Rule } from '../../policy/rules.ts'

export type Caller = 'anonymous' | Role | 'owner' | 'client'

/** The owner has the role USER; the client (CLIENTS_FILE) has all permissions. */
export function callersOf<R extends Role>(
  roles: readonly R[],
): readonly ('anonymous' | R | 'owner' | 'client')[] {
  return ['anonymous', ...roles, 'owner', 'client']
}

const ownerId = '1'
const strangerId = '2'

/** All combinations of facts. */
const things: readonly Resource[] = [false, true].flatMap((privileged) =>
  [false, true].map((locked) => ({ ownerId, locked, privileged })),
)

/** Distinct decisions over all resources. A caller without an accepted scheme is anonymous. */
export function verdicts(
  rule: Rule,
  caller: Caller,
  schemes: readonly Scheme[],
): readonly (401 | 403 | 'admitted')[] {
  const isAccepted = schemes.some((scheme) => (scheme === 'client') === (caller === 'client'))
  const principal = isAccepted ? principalOf(caller) : null
  const refused = principal === null ? 401 : 403
  const all = things.map((thing) => (decide(rule, principal, thing) ? 'admitted' : refused))
  return [...new Set(all)]
}

function principalOf(caller: Caller): Principal | null {
  if (caller === 'anonymous') return null
  if (caller === 'client') return aClient
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

const aClient: Principal = {
  subject: 'client:1',
  username: '1',
  roles: new Set(),
  credential: { scheme: 'client', audiences: new Set() },
  amr: [],
  authTime: 0,
  client: '1',
  scopes: new Set(clientPermissions),
}
