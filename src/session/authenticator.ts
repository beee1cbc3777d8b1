import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/load.ts'
import { lockName } from '../database/transactions.ts'
import type { Authenticated } from '../http/changes/still-allowed.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import { type Principal, type Role, rolesAmong } from '../kernel/principal.ts'
import { sessionCookie } from './cookie.ts'
import type { LiveSession, Sessions } from './sessions.ts'

/**
 * Authenticates by the session cookie. Spec 5.2. A cookie without a live session counts as no
 * cookie: the caller has logged out and gets 401 "Authentication required".
 */
export function sessionAuthenticator(
  config: Pick<Config, 'roles' | 'session'>,
  sessions: Sessions,
): Authenticator {
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
      const session = secret === undefined ? null : sessions.resume(secret)
      return session instanceof Promise
        ? session.then((read) => authenticated(read, request))
        : authenticated(session, request)
    },
  }

  function authenticated(
    session: LiveSession | null,
    request: FastifyRequest,
  ): Authenticated | null {
    const callerOf = (live: LiveSession | null): Principal | null => {
      if (!live) return null
      const isRefused = live.needsEnrolment && !request.routeOptions.config.enrols
      return isRefused ? null : principalOf(live, config.roles)
    }
    const principal = callerOf(session)
    if (!session || !principal) return null
    return {
      principal,
      shared: () => [lockName.account(session.userId)],
      again: async (db) => callerOf(await sessions.again(db, session.id)),
    }
  }
}

function principalOf(session: LiveSession, roles: readonly Role[]): Principal {
  const { id, userId, username, account, amr, csrfToken, createdAt, expiresAt } = session
  return {
    subject: String(userId),
    username,
    roles: new Set(rolesAmong(account.roles, roles)),
    credential: { scheme: 'session', sessionId: id, csrfToken, expiresAt },
    amr,
    authTime: createdAt,
  }
}
