import type { Config } from '../config.ts'
import type { Authenticator } from '../http/access.ts'
import type { SecondFactor } from '../totp/second-factor.ts'
import { sessionCookie } from './cookie.ts'
import type { Sessions } from './sessions.ts'

/**
 * The session cookie. Spec 5.2. A cookie of no live session is as good as none: the caller has
 * logged out, and 401 "Authentication required" says all there is to say.
 */
export function sessionAuthenticator(
  config: Pick<Config, 'session'>,
  sessions: Sessions,
  secondFactor: Pick<SecondFactor, 'isMissing'>,
): Authenticator {
  return {
    scheme: 'session',
    header: null,
    missing: 'authenticationRequired',

    async authenticate(request) {
      const secret = sessionCookie(request, config)
      const session = secret === undefined ? null : await sessions.resume(secret)
      if (!session) return null
      // A role that asks for a second factor may be newer than the session.
      const isHeld = secondFactor.isMissing({ ...session.account, roles: session.roles })
      if (isHeld && !request.routeOptions.config.enrols) return null
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
