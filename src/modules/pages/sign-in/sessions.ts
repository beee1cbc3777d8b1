import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../core/config/load.ts'
import { sessionCookie } from '../../sessions/cookie.ts'
import type { LiveSession, Sessions } from '../../sessions/sessions.ts'

/** For public pages; null without a session. */
export async function sessionOf(
  { config, sessions }: { config: Pick<Config, 'session'>; sessions: Pick<Sessions, 'resume'> },
  request: FastifyRequest,
): Promise<LiveSession | null> {
  const secret = sessionCookie(request, config)
  if (secret === undefined) return null
  const session = await sessions.resume(secret)
  return 'ended' in session ? null : session
}
