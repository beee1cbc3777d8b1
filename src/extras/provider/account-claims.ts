import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { epochSeconds } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { rolesAmong } from '../../core/policy/principal.ts'
import type { ClaimPlace } from '../../modules/accounts/account-claims.ts'
import { accountIn } from '../../modules/accounts/accounts.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Application } from '../../modules/clients/application.ts'

/** The claims of each scope. OpenID Connect Core section 5.4; `roles` and `groups` are ours. */
export const claimsOfScopes: Readonly<Record<string, readonly string[]>> = {
  openid: ['sub', 'sid', 'auth_time', 'amr', 'acr'],
  profile: ['name', 'preferred_username', 'locale'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
  roles: ['roles'],
}

/** These are no choice of an entry: they are about the login, not about the person. */
const always = ['sub', 'sid', 'auth_time', 'amr', 'acr']

/** Whether an account may use an application. */
export function isAllowed(
  { allow }: Pick<Application, 'allow'>,
  { roles }: Pick<Account, 'roles'>,
): boolean {
  return allow === null || allow.some((role) => roles.some((one) => one === role))
}

/** What the library has stored of a token. */
interface TokenOfPerson {
  readonly scope?: string | undefined
  /** Absent from access tokens. */
  readonly amr?: readonly string[] | undefined
}

/** Whether the entry of the application still allows a token that was issued before. */
export function allowsToken(
  { needsTwoFactors, scopes }: Pick<Application, 'needsTwoFactors' | 'scopes'>,
  { amr, scope }: TokenOfPerson,
): boolean {
  const isOffline = scope?.split(' ').includes('offline_access') === true
  if (isOffline && !scopes.includes('offline_access')) return false
  return !needsTwoFactors || amr === undefined || amr.includes('mfa')
}

/** The account of a subject while it may sign in; null for a client, whose subject is no number. */
export async function usableAccount(
  { db, requirements }: Pick<Needs, 'db' | 'requirements'>,
  subject: string,
  reader: DatabaseOrTransaction = db,
): Promise<Account | null> {
  const id = Number(subject)
  const account = Number.isSafeInteger(id) && id > 0 ? await accountIn(reader, id) : null
  return account && mayUse({ requirements }, account) ? account : null
}

/** Whether an account may sign in now, a second factor aside. */
export function mayUse({ requirements }: Pick<Needs, 'requirements'>, account: Account): boolean {
  return requirements.unmet('session', sessionFacts(account))?.cell !== 'unauthenticated'
}

/** Of a session that has passed all that a login asks. */
export function sessionFacts(account: Account) {
  return { account, amr: ['pwd', 'mfa'], isRemembered: true } as const
}

/** With the claims that other modules add, which the scope `profile` gives. */
export function claimsByScope(added: readonly string[]): typeof claimsOfScopes {
  const { profile = [] } = claimsOfScopes
  return { ...claimsOfScopes, profile: [...profile, ...added] }
}

/** All claims that scopes can give; `email` only if it is verified. */
export async function claimsOf(
  { accountClaims, config, users }: Pick<Needs, 'accountClaims' | 'config' | 'users'>,
  account: Account,
  place: ClaimPlace,
): Promise<Record<string, unknown>> {
  const user = await users.byId(account.userId)
  const roles = rolesAmong(account.roles, config.roles)
  return {
    ...(await accountClaims.of(account.userId, place)), // first: no claim of the service is replaced
    sub: String(account.userId),
    preferred_username: account.username,
    ...(user?.name && { name: user.name }),
    ...(account.language && { locale: account.language }),
    ...(account.email !== null && { email: account.email, email_verified: true }),
    ...{ roles, groups: roles },
  }
}

/** Leaves out what the entry of the application does not name for a place, or no longer asks for. */
export function claimsFor(
  { claims, scopes }: Application,
  use: string,
  all: Record<string, unknown>,
  byScope = claimsOfScopes,
): Record<string, unknown> {
  const named = use === 'id_token' ? claims.idToken : claims.userinfo
  const ofScopes = scopes.flatMap((scope) => byScope[scope] ?? [])
  const isOpen = (name: string) =>
    ofScopes.includes(name) && (named === null || named.includes(name))
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => always.includes(name) || isOpen(name)),
  )
}

/** Whole seconds; 0 for a login whose time is not known, which is older than any `max_age`. */
export function authSeconds(authTime: number): number {
  return Number.isFinite(authTime) && authTime > 0 ? epochSeconds(authTime) : 0
}
