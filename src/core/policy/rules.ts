import { type ClientPermission, isScope, type Role } from './principal.ts'

/** An access rule as data, so that it can be decided, printed, tested and put into OpenAPI. */
export type Rule =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'role'; readonly roles: readonly Role[] }
  | { readonly kind: 'scope'; readonly scopes: readonly string[] }
  | { readonly kind: 'client'; readonly may: ClientPermission }
  | { readonly kind: 'owner' }
  | { readonly kind: 'unlocked' }
  | { readonly kind: 'unprivileged' }
  | { readonly kind: 'all'; readonly rules: readonly Rule[] }
  | { readonly kind: 'any'; readonly rules: readonly Rule[] }

export const anyone: Rule = { kind: 'anyone' }
export const authenticated: Rule = { kind: 'authenticated' }
export const owner: Rule = { kind: 'owner' }
export const unlocked: Rule = { kind: 'unlocked' }
/** Holds for a user without an account of the role ADMIN, also without a caller. */
export const unprivileged: Rule = { kind: 'unprivileged' }
export const role = (...roles: Role[]): Rule => ({ kind: 'role', roles })
/**
 * Holds for a caller without a client, and for a client or a limited credential that has all of
 * these scopes. One of several scopes is `any(scope('a'), scope('b'))`. docs/adr/0031
 * @throws Error if a text is no scope (RFC 6749 section 3.3)
 */
export function scope(...scopes: readonly [string, ...string[]]): Rule {
  for (const text of scopes) {
    if (!isScope(text)) throw new Error(`${JSON.stringify(text)} is no scope`)
  }
  return { kind: 'scope', scopes }
}
/** Holds for a client of CLIENTS_FILE that may do this, and for no user. */
export const client = (may: ClientPermission): Rule => ({ kind: 'client', may })
export const any = (...rules: Rule[]): Rule => ({ kind: 'any', rules })
export const all = (...rules: Rule[]): Rule => ({ kind: 'all', rules })

/** Whether a rule can depend on facts of the resource. */
export function needsResource(rule: Rule): boolean {
  if (rule.kind === 'any' || rule.kind === 'all') return rule.rules.some(needsResource)
  return rule.kind === 'owner' || rule.kind === 'unlocked' || rule.kind === 'unprivileged'
}

/** Whether a rule can deny a caller who is authenticated. */
export function canDeny(rule: Rule): boolean {
  if (rule.kind === 'any') return rule.rules.every(canDeny)
  if (rule.kind === 'all') return rule.rules.some(canDeny)
  return rule.kind !== 'anyone' && rule.kind !== 'authenticated'
}

/** Whether a rule depends on `privileged`, which needs a query of another table. */
export function asksPrivilege(rule: Rule): boolean {
  if (rule.kind === 'any' || rule.kind === 'all') return rule.rules.some(asksPrivilege)
  return rule.kind === 'unprivileged'
}

/** Whether a rule can hold for a client. */
export function asksClient(rule: Rule): boolean {
  if (rule.kind === 'any' || rule.kind === 'all') return rule.rules.some(asksClient)
  return rule.kind === 'client'
}

/** Lists all scopes of a rule, each once. */
export function scopesOf(rule: Rule): string[] {
  if (rule.kind === 'any' || rule.kind === 'all') return [...new Set(rule.rules.flatMap(scopesOf))]
  return rule.kind === 'scope' ? [...new Set(rule.scopes)] : []
}

/** Prints a rule as one readable line, for the route table and OpenAPI. */
export function describeRule(rule: Rule): string {
  switch (rule.kind) {
    case 'role':
      return rule.roles.join(' or ')
    case 'scope':
      return `scope ${rule.scopes.join(' ')}`
    case 'client':
      return `client that may ${rule.may}`
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
