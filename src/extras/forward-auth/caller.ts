import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import type { RefusalReason } from '../../core/errors.ts'
import { noteAbsence } from '../../core/http/changes/absence.ts'
import { type Authenticator, defaultSchemes } from '../../core/http/routes/declaration.ts'
import { identify } from '../../core/http/routes/identify.ts'
import { type Principal, rolesAmong, userIdOf } from '../../core/policy/principal.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import { sessionCookie } from '../../modules/sessions/cookie.ts'
import {
  authTimeOf,
  type EndedSession,
  type LiveSession,
  type Sessions,
  type StoredSession,
} from '../../modules/sessions/sessions.ts'
import { hostSessionCookie } from './cookies.ts'
import type { HostSessions } from './host-sessions.ts'
import { type Remote, remoteOf } from './remote-headers.ts'
import type { Site } from './site.ts'

export interface KnownCaller {
  readonly principal: Principal
  /** Null for a caller without an account here. */
  readonly remote: Remote | null
}

export interface ForwardCallersDeps {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly config: Pick<Config, 'baseUrl' | 'http' | 'roles' | 'session'>
  readonly db: Database
  readonly hostSessions: Pick<HostSessions, 'resume'>
  readonly sessions: Pick<Sessions, 'resume'>
}

export interface ForwardCallers {
  /**
   * By the Authorization header if present, otherwise by the host's session. Synchronous if nothing
   * must be read. @throws ApiError without a valid credential
   */
  callerOf(
    request: FastifyRequest,
    reply: FastifyReply,
    site: Site,
  ): KnownCaller | Promise<KnownCaller>
  /** Cookies ignore ports. */
  isHome(site: Site): boolean
}

export function createForwardCallers(
  authenticators: readonly Authenticator[],
  deps: ForwardCallersDeps,
): ForwardCallers {
  const { accounts, config, hostSessions, sessions } = deps
  const { hostname: home } = new URL(config.baseUrl)
  const isHome = ({ hostname }: Site) => hostname === home
  const accepted = authenticators.flatMap(usableHere)
  // Basic returns a promise even if the header is not its own.
  const bearerFirst = {
    accepted: [
      ...accepted.filter(({ header }) => header === 'bearer'),
      ...accepted.filter(({ header }) => header !== 'bearer'),
    ],
  }
  const inOrder = { accepted }
  const silent = { accepted: accepted.map((one) => ({ ...one, authenticate: () => null })) }
  const byPrincipal = new WeakMap<Principal, KnownCaller>()
  const bySession = new WeakMap<StoredSession, KnownCaller>()

  return {
    isHome,

    callerOf(request, reply, site) {
      if (request.headers.authorization !== undefined) return byHeader(request, reply)
      const session = sessionOf(request, site)
      if (session === null) return noCaller(request, reply)
      return session instanceof Promise
        ? session.then((read) => ofSession(read, request, reply))
        : ofSession(session, request, reply)
    },
  }

  function sessionOf(request: FastifyRequest, site: Site) {
    if (isHome(site)) {
      const secret = sessionCookie(request, config)
      return secret === undefined ? null : sessions.resume(secret)
    }
    const secret = hostSessionCookie(request)
    return secret === undefined ? null : hostSessions.resume(secret, site.origin)
  }

  function ofSession(
    session: LiveSession | EndedSession,
    request: FastifyRequest,
    reply: FastifyReply,
  ): KnownCaller {
    if ('ended' in session) return noCaller(request, reply, session.ended)
    const { stored, needsEnrolment, expiresAt } = session
    if (needsEnrolment) {
      const facts = { user_id: stored.userId }
      return noCaller(request, reply, { code: 'session_must_enrol', facts })
    }
    const caller = bySession.get(stored) ?? newCaller(stored, expiresAt)
    request.principal = caller.principal
    return caller
  }

  /** Cached with the session: no allocation per request. */
  function newCaller(stored: StoredSession, expiresAt: number): KnownCaller {
    const { id, userId, username, email, amr, csrfToken } = stored
    const roles = rolesAmong(stored.account.roles, config.roles)
    const caller: KnownCaller = {
      principal: {
        subject: String(userId),
        username,
        roles: new Set(roles),
        credential: { scheme: 'session', sessionId: id, csrfToken, expiresAt },
        amr,
        authTime: authTimeOf(stored),
      },
      remote: remoteOf(username, roles, email),
    }
    bySession.set(stored, caller)
    return caller
  }

  /** @throws ApiError always: 401 */
  function noCaller(request: FastifyRequest, reply: FastifyReply, why?: RefusalReason): never {
    if (why) noteAbsence(request, why)
    identify(request, reply, silent, deps)
    throw new Error('a request without a credential has a caller')
  }

  function byHeader(
    request: FastifyRequest,
    reply: FastifyReply,
  ): KnownCaller | Promise<KnownCaller> {
    const isBearer = /^bearer /i.test(request.headers.authorization ?? '')
    const principal = identify(request, reply, isBearer ? bearerFirst : inOrder, deps)
    return principal instanceof Promise
      ? principal.then((found) => known(found, request))
      : known(principal, request)
  }

  function known(
    principal: Principal,
    request: FastifyRequest,
  ): KnownCaller | Promise<KnownCaller> {
    request.guard = null // guards only changes
    const found = byPrincipal.get(principal)
    if (found) return found
    if (principal.credential.scheme !== 'bearer') return readCaller(principal)
    const { username, roles, credential } = principal
    const caller = { principal, remote: remoteOf(username, roles, credential.claims.email) }
    byPrincipal.set(principal, caller)
    return caller
  }

  async function readCaller(principal: Principal): Promise<KnownCaller> {
    const userId = userIdOf(principal)
    const account = userId === null ? null : await accounts.byUserId(userId)
    const remote = account && remoteOf(account.username, principal.roles, account.email)
    return { principal, remote }
  }
}

/** Without CSRF protection: the application protects itself, and nothing changes here. */
function usableHere(authenticator: Authenticator): Authenticator[] {
  const { csrf: _, ...rest } = authenticator
  if (rest.scheme === 'session') return [{ ...rest, authenticate: () => null }]
  return rest.header !== null && defaultSchemes.includes(rest.scheme) ? [rest] : []
}
