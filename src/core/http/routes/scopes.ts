import type { FastifyRequest, RouteOptions } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Principal } from '../../policy/principal.ts'
import { challengeOf } from '../changes/denied.ts'
import { isSafe, type RouteDeclaration } from './declaration.ts'

export interface ScopesOfModule {
  readonly name: string
  readonly scopes?: readonly string[]
  readonly tag?: RouteDeclaration['tag']
}

/**
 * The scope of a route; null: no key is admitted. @throws Error for a scope that the module does not
 * list
 */
export function scopeOf(
  { config = {}, method, url }: Pick<RouteOptions, 'config' | 'method' | 'url'>,
  { name, scopes = [], tag }: ScopesOfModule,
): string | null {
  const { reauthentication, scope } = config
  if (typeof scope === 'string' && !scopes.includes(scope)) {
    throw new Error(`${method} ${url} has the scope ${scope}, which the module ${name} lacks`)
  }
  if (scope !== undefined || config.tag !== tag) return scope ?? null
  if (reauthentication === 'always') return null // a key is never a recent login
  const verb = isSafe(method) ? 'read' : 'write'
  return scopes.find((one) => one.endsWith(`:${verb}`)) ?? null
}

/**
 * Scopes bind here alone, for credentials whose scopes this service gives. @throws ApiError
 * accessDenied
 */
export function assertInScope({ routeOptions }: FastifyRequest, principal: Principal): void {
  const { client, credential, scopes } = principal
  // A token of ours that an application has for a person, or for itself.
  const isOfApplication = credential.scheme === 'bearer' && client !== undefined
  if (credential.scheme !== 'key' && !isOfApplication) return
  const { judgesKeys, scope: named = null } = routeOptions.config
  if (judgesKeys && !isOfApplication) return
  const isAdministration = routeOptions.url?.startsWith('/api/admin/') === true
  const isOpen = credential.scheme === 'key' && credential.kind === 'key'
  const scope = isAdministration && !isOpen ? null : named
  if (scope !== null && scopes?.has(scope)) return
  throw new ApiError('accessDenied', {
    challenge: scope === null ? undefined : challengeOf([scope]),
    reason: { code: 'key_out_of_scope', facts: { user_id: principal.subject, scope } },
  })
}
