import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Authenticated } from '../../core/http/changes/reauthorize.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import {
  type AccessClaims,
  isScope,
  type Principal,
  rolesAmong,
} from '../../core/policy/principal.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { bearerToken } from '../../modules/tokens/authenticator.ts'
import { parseObject, verifyJws } from '../../modules/tokens/jws.ts'
import { isAllowed, usableAccount } from './account-claims.ts'
import { grantIdOf, idOf } from './adapter.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { artifactStore } from './store.ts'

/** The claims of a JWT access token that an application has for our API: see api-resource.ts. */
export interface ApiToken {
  readonly sub: string
  readonly exp: number
  readonly iat: number
  readonly jti: string
  readonly client_id: string
  readonly scope: string
  readonly grant?: string
  readonly sid?: string
  /** It is bound to a key of the application (RFC 9449). */
  readonly cnf?: { readonly jkt: string }
}

export interface JudgedApiToken {
  readonly token: ApiToken
  /** Null: the application itself. */
  readonly account: Account | null
  /** Of the token, what the entry of the application still names. */
  readonly scopes: ReadonlySet<string>
}

export interface ApplicationTokens {
  /** Null for a text that is none of these tokens. */
  claimsOf(text: string): Promise<ApiToken | null>
  /** As it counts now: every use asks for what the token came of. Null: it has ended. */
  judge(token: ApiToken, reader?: DatabaseOrTransaction): Promise<JudgedApiToken | null>
}

const subjectOfClient = 'client:'

export function createApplicationTokens(needs: ApplicationsNeeds): ApplicationTokens {
  const { clients, clock, config, db, keys, sessions } = needs
  return {
    async claimsOf(text) {
      const jws = await verifyJws(text, (kid) => keys.find(kid, 'identity'))
      const raw = jws?.header.typ === 'at+jwt' ? parseObject(jws.payload) : null
      if (!raw || raw.iss !== config.baseUrl || raw.aud !== config.token.audience) return null
      const { sub, exp, iat, jti, client_id, scope = '' } = raw
      const texts = [sub, jti, client_id, scope]
      const isWhole = texts.every((one) => typeof one === 'string')
      if (!isWhole || typeof exp !== 'number' || typeof iat !== 'number') return null
      return { ...raw, scope } as unknown as ApiToken // the members are checked
    },

    async judge(token, reader = db) {
      const now = clock.now()
      const { client_id, exp, grant, scope, sid, sub } = token
      const application = (await clients.find(client_id, reader))?.application
      const isOpen = application && application.resource !== null
      if (!isOpen || now >= exp * 1000) return null
      const named = scope.split(' ').filter((one) => application.scopes.includes(one))
      const scopes = new Set(named.filter(isScope))
      if (sub === `${subjectOfClient}${client_id}`) return { token, account: null, scopes }
      const store = artifactStore(reader)
      const granted = grant === undefined ? null : await store.byId(grantIdOf(grant), now)
      if (granted?.client !== client_id || String(granted.userId) !== sub) return null
      if (sid !== undefined) {
        const session = await store.byUid(idOf('Session uid', sid), now)
        if (!session?.sessionId || !(await sessions.judge(session.sessionId, reader))) return null
      }
      const account = await usableAccount(needs, sub, reader)
      return account && isAllowed(application, account) ? { token, account, scopes } : null
    },
  }
}

/** Accepts tokens of applications in addition to bearer tokens: limited by scopes, as keys are. */
export function applicationsBeside(
  own: Authenticator,
  { claimsOf, judge }: ApplicationTokens,
  config: ApplicationsNeeds['config'],
): Authenticator {
  return {
    ...own,
    errors: [...new Set([...(own.errors ?? []), 'accessDenied' as const])],
    authenticate(request) {
      const text = bearerToken(request)
      return text !== null && isOfApplication(text, config.baseUrl)
        ? ofApplication(text)
        : own.authenticate(request)
    },
  }

  async function ofApplication(text: string): Promise<Authenticated> {
    const token = await claimsOf(text)
    // As a bearer token, one that is bound to a key would need no proof. RFC 9449 section 7.2
    if (token?.cnf !== undefined) {
      throw new ApiError('invalidOrExpiredToken', { reason: { code: 'application_token_bound' } })
    }
    const judged = token && (await judge(token))
    if (!token || !judged) {
      throw new ApiError('invalidOrExpiredToken', { reason: { code: 'application_token_ended' } })
    }
    return {
      principal: principalOf(judged, config),
      lockNames: () => (judged.account ? [lockName.account(judged.account.userId)] : []),
      async revalidate(reader) {
        const present = await judge(token, reader)
        return present && principalOf(present, config)
      },
    }
  }
}

/** By what is not verified yet: a provider of people may send such tokens too. */
function isOfApplication(text: string, issuer: string): boolean {
  const [header = '', payload = ''] = text.split('.', 2)
  const parsed = (segment: string) => parseObject(Buffer.from(segment, 'base64url'))
  return parsed(header)?.typ === 'at+jwt' && parsed(payload)?.iss === issuer
}

function principalOf(
  { account, scopes, token }: JudgedApiToken,
  { baseUrl, roles: known, token: { audience } }: ApplicationsNeeds['config'],
): Principal {
  const { client_id, exp, iat, jti, sub } = token
  // No application administers, whatever roles the person has.
  const roles = rolesAmong(account?.roles ?? [], known).filter((role) => role !== 'ADMIN')
  const username = account?.username ?? client_id
  const claims: AccessClaims = {
    ...{ iss: baseUrl, sub, aud: audience, exp, iat, nbf: iat, jti, username, roles },
    ...{ type: 'access', auth_time: 0, amr: [], ver: account?.accessVersion ?? 0 },
  }
  return {
    subject: sub,
    username,
    roles: new Set(roles),
    credential: { scheme: 'bearer', claims },
    amr: [],
    authTime: Number.NEGATIVE_INFINITY, // never a recent login
    client: client_id,
    scopes,
  }
}
