import type { FastifyReply, FastifyRequest } from 'fastify'
import { hostBrowserCookieName, hostSessionCookieName } from '../../core/config/cookie-names.ts'
import { browserCookie } from '../../modules/flows/cookie.ts'

// Longer than a sign-in with a sign-up and its mail takes.
const browserSeconds = 86_400

/**
 * The cookie that names a browser at the host of an application, so that a ticket is good in no other
 * one. It proves nothing else. Its digest is what `browser=` of /signin holds.
 */
export const hostBrowserCookie = browserCookie(hostBrowserCookieName, browserSeconds)

// Lax: a Strict cookie would not come along when the redirect with the ticket has set it.
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const start = `${hostSessionCookieName}=`

/**
 * The value of the cookie of a session at the host of an application, as it was sent; undefined
 * without one. The header is that of the application, whose many cookies are not parsed.
 */
export function hostSessionCookie({ headers: { cookie } }: FastifyRequest): string | undefined {
  if (cookie === undefined) return undefined
  for (let at = cookie.indexOf(start); at >= 0; at = cookie.indexOf(start, at + 1)) {
    if (at > 0 && !isBetweenCookies(cookie, at)) continue
    const end = cookie.indexOf(';', at)
    return cookie.slice(at + start.length, end < 0 ? undefined : end).trimEnd()
  }
  return undefined
}

export function setHostSessionCookie(reply: FastifyReply, secret: string): void {
  reply.setCookie(hostSessionCookieName, secret, flags)
}

/** Whether a cookie begins at an index: the name may also stand in the value of another one. */
function isBetweenCookies(cookie: string, at: number): boolean {
  return /;[ \t]*$/.test(cookie.slice(Math.max(0, at - 8), at))
}
