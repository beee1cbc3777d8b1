import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../accounts/account.ts'
import type { Config } from '../config.ts'
import type { Events } from '../events/events.ts'
import { clientAddress } from '../http/client-address.ts'
import { clearSessionCookie, sessionCookie, setSessionCookie } from './cookie.ts'
import type { Sessions } from './sessions.ts'

export interface BrowserSessionDeps {
  readonly config: Pick<Config, 'session'>
  readonly events: Events
  readonly sessions: Sessions
}

/**
 * The last step of a login in mode session, and of a sign-in through a provider: session and cookie.
 * Answers the session's CSRF token. @throws ApiError invalidCredentials as `Sessions.start`
 */
export async function startSession(
  { config, events, sessions }: BrowserSessionDeps,
  account: Account,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  // Always a new id: one that was planted before the login must not become a session.
  const address = clientAddress(request)
  const { secret, csrfToken, ended } = await sessions.start(
    account,
    { address, userAgent: request.headers['user-agent'] ?? '' },
    sessionCookie(request, config),
  )
  setSessionCookie(reply, config, secret)
  events.record('session_created', { user_id: account.userId, address })
  if (ended > 0) {
    events.record('session_ended', { user_id: account.userId, reason: 'limit', count: ended })
  }
  return csrfToken
}

/** Ends the session whose cookie came, if it is one. @throws DatabaseUnavailable where that cannot be stored */
export async function endSession(
  { config, sessions }: Omit<BrowserSessionDeps, 'events'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = sessionCookie(request, config)
  if (secret === undefined) return
  await sessions.end(secret) // a failure is 503: never a 200 that is not true
  clearSessionCookie(reply, config)
}
