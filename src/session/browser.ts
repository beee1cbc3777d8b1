import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Result } from '../authentication/completion.ts'
import type { Config } from '../config/load.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { clearSessionCookie, sessionCookie, setSessionCookie } from './cookie.ts'
import type { NewSession, Sessions } from './sessions.ts'

export interface BrowserSessionDeps {
  readonly config: Pick<Config, 'session'>
  readonly sessions: Sessions
}

/**
 * What a login in mode session gives, and a sign-in through a provider: session and cookie. Answers
 * the session's CSRF token.
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
    isStored: true,
    // Always a new id: one that was planted before the login must not become a session.
    give: (trx, present) => sessions.start(trx, present, client),
    answer({ secret, csrfToken }) {
      setSessionCookie(reply, config, secret)
      return csrfToken
    },
  }
}

/** Ends the session whose cookie came, if it is one. @throws DatabaseUnavailable where that cannot be stored */
export async function endSession(
  { config, sessions }: BrowserSessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = sessionCookie(request, config)
  if (secret === undefined) return
  await sessions.end(secret) // a failure is 503: never a 200 that is not true
  clearSessionCookie(reply, config)
}
