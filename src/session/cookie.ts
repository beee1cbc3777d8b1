import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/load.ts'

type CookieConfig = Pick<Config, 'session'>

// Spec 5.2. The prefix __Host- requires this path (RFC 6265bis section 4.1.3.2).
const flags = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

/** The value of the session cookie: the first one, if a request has two. */
export function sessionCookie(
  request: FastifyRequest,
  { session }: CookieConfig,
): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : request.server.parseCookie(cookie)[session.cookieName]
}

export function setSessionCookie(
  reply: FastifyReply,
  { session }: CookieConfig,
  secret: string,
): void {
  reply.setCookie(session.cookieName, secret, flags)
}

export function clearSessionCookie(reply: FastifyReply, { session }: CookieConfig): void {
  reply.clearCookie(session.cookieName, flags)
}
