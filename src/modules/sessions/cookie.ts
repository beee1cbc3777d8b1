import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'

type CookieConfig = Pick<Config, 'session'>

// Spec 5.2. The prefix __Host- requires this path (RFC 6265bis section 4.1.3.2).
const flags = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

// Nothing in such a value is quoted, encoded or another cookie.
const plainValue = /^[A-Za-z0-9_-]+$/

/** The first session cookie, if a request has two. */
export function sessionCookie(
  request: FastifyRequest,
  { session: { cookieName } }: CookieConfig,
): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  if (cookie.startsWith(cookieName) && cookie[cookieName.length] === '=') {
    const value = cookie.slice(cookieName.length + 1)
    if (plainValue.test(value)) return value // the only cookie needs no parser
  }
  return request.server.parseCookie(cookie)[cookieName]
}

/** @param age `maxAge` in seconds; without it the browser forgets the cookie when it closes */
export function setSessionCookie(
  reply: FastifyReply,
  { session }: CookieConfig,
  secret: string,
  age: { readonly maxAge?: number },
): void {
  reply.setCookie(session.cookieName, secret, { ...flags, ...age })
}

export function clearSessionCookie(reply: FastifyReply, { session }: CookieConfig): void {
  reply.clearCookie(session.cookieName, flags)
}
