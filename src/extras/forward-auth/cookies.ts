import type { FastifyReply, FastifyRequest } from 'fastify'
import { hostBrowserCookieName, hostSessionCookieName } from '../../core/config/cookie-names.ts'
import { browserCookie } from '../../modules/flows/cookie.ts'

// Longer than a sign-up with its mail takes.
const browserSeconds = 86_400

/** Binds a ticket to a browser; proves nothing else. `browser=` of /signin carries its digest. */
export const hostBrowserCookie = browserCookie(hostBrowserCookieName, browserSeconds)

// Browsers would not send a Strict cookie after the redirect with the ticket.
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const start = `${hostSessionCookieName}=`

/** Without parsing the application's many other cookies. */
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

/** The name may also occur within another cookie's value. */
function isBetweenCookies(cookie: string, at: number): boolean {
  return /;[ \t]*$/.test(cookie.slice(Math.max(0, at - 8), at))
}
