import type { FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { lockName } from '../../core/database/transactions.ts'
import { noteAbsence } from '../../core/http/changes/absence.ts'
import type { Authenticated } from '../../core/http/changes/reauthorize.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { type Principal, type Role, rolesAmong } from '../../core/policy/principal.ts'
import { sessionCookie } from './cookie.ts'
import type { EndedSession, LiveSession, Sessions } from './sessions.ts'
import { authTimeOf } from './sessions.ts'
import type { StoredSession } from './store.ts'

/** Spec 5.2. A cookie without a live session counts as no cookie: 401 "Authentication required". */
export function sessionAuthenticator(
  config: Pick<Config, 'roles' | 'session'>,
  sessions: Sessions,
): Authenticator {
  const roleSets = new WeakMap<StoredSession, ReadonlySet<Role>>()

  return {
    scheme: 'session',
    header: null,
    missing: 'authenticationRequired',
    csrf: 'token',
    describes: {
      type: 'apiKey',
      in: 'cookie',
      name: config.session.cookieName,
      description:
        'Set by `POST /login` in mode `session`. Unsafe methods need the header X-CSRF-Token as well.',
    },

    authenticate(request) {
      const secret = sessionCookie(request, config)
      if (secret === undefined) return null
      const session = sessions.resume(secret)
      return session instanceof Promise
        ? session.then((read) => authenticated(read, request))
        : authenticated(session, request)
    },
  }

  function authenticated(
    session: LiveSession | EndedSession,
    request: FastifyRequest,
  ): Authenticated | null {
    if ('ended' in session) {
      noteAbsence(request, session.ended)
      return null
    }
    const { id, userId } = session.stored
    const principal = callerOf(session, request)
    if (!principal) {
      noteAbsence(request, { code: 'session_must_enrol', facts: { user_id: userId } })
      return null
    }
    return {
      principal,
      lockNames: () => [lockName.account(userId)],
      revalidate: async (db) => callerOf(await sessions.revalidate(db, id), request),
    }
  }

  function callerOf(live: LiveSession | null, request: FastifyRequest): Principal | null {
    if (!live || (live.needsEnrolment && !request.routeOptions.config.enrols)) return null
    const { stored, expiresAt } = live
    const { id, userId, username, amr, csrfToken } = stored
    return {
      subject: String(userId),
      username,
      roles: rolesOf(stored),
      credential: { scheme: 'session', sessionId: id, csrfToken, expiresAt },
      amr,
      authTime: authTimeOf(stored),
    }
  }

  /** The same set for each request of a cached session. */
  function rolesOf(stored: StoredSession): ReadonlySet<Role> {
    const known = roleSets.get(stored)
    if (known) return known
    const roles = new Set(rolesAmong(stored.account.roles, config.roles))
    roleSets.set(stored, roles)
    return roles
  }
}
