import type { Config } from '../config.ts'
import type { Authenticator } from '../http/access.ts'
import { sessionCookie } from './cookie.ts'
import type { Sessions } from './sessions.ts'

/**
 * The session cookie. Spec 5.2. A cookie of no live session is as good as none: the caller has
 * logged out, and 401 "Authentication required" says all there is to say.
 */
export function sessionAuthenticator(
  config: Pick<Config, 'session'>,
  sessions: Sessions,
): Authenticator {
  return {
    scheme: 'session',
    header: null,
    missing: 'authenticationRequired',

    async authenticate(request) {
      const secret = sessionCookie(request, config)
      const session = secret === undefined ? null : await sessions.resume(secret)
      if (!session) return null
      const { id, userId, username, roles, csrfToken, createdAt, expiresAt } = session
      return {
        subject: String(userId),
        username,
        roles: new Set(roles),
        credential: { scheme: 'session', sessionId: id, csrfToken, expiresAt },
        authenticatedAt: createdAt,
      }
    },
  }
}
