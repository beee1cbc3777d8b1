import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Result } from '../authentication/completion.ts'
import { clearSessionCookie, sessionCookie, setSessionCookie } from './cookie.ts'
import type { NewSession } from './sessions.ts'

export type BrowserSessionDeps = Pick<Needs, 'config' | 'sessions'>

/** Browsers keep no cookie for longer. RFC 6265bis 5.5 */
const maxCookieDays = 400

/**
 * The result of a login in mode session and of a sign-in through a provider: starts a session, sets
 * the cookie and returns the CSRF token.
 */
export function sessionResult(
  { config, sessions }: BrowserSessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Result<NewSession, string> {
  const client = {
    address: clientAddress(request),
    userAgent: request.headers['user-agent'] ?? '',
    replaces: sessionCookie(request, config),
  }
  return {
    // Always a new id, against session fixation.
    issue: (trx, present) => sessions.start(trx, present, client),
    respond({ secret, csrfToken, isKept }) {
      const maxAge = Math.min(config.session.keptDays, maxCookieDays) * 86_400
      setSessionCookie(reply, config, secret, isKept ? { maxAge } : {})
      return csrfToken
    },
  }
}

/** @throws DatabaseUnavailable if the end is not stored */
export async function endSession(
  { config, sessions }: BrowserSessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = sessionCookie(request, config)
  if (secret === undefined) return
  await sessions.end(secret) // a failure is 503, never a false 200
  clearSessionCookie(reply, config)
}
