import type { FastifyReply } from 'fastify'
import { securityHeaders } from '../headers.ts'
import { contentTypes } from '../media-types.ts'

/** Allowed form targets besides the own origin. */
interface Forms {
  readonly returnOrigin?: string | null
}

/**
 * Sends a referrer to same-origin pages: without one, browsers send `Origin: null` with forms.
 * Pages of other origins get no window reference.
 */
export function sendHtml(
  reply: FastifyReply,
  text: string,
  { returnOrigin = null }: Forms = {},
): FastifyReply {
  return reply
    .headers({
      'content-security-policy': policiesOf(returnOrigin),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'content-type': contentTypes.html,
    })
    .serializer(String)
    .send(text)
}

/**
 * The header of spec 5.7, and a policy for what `default-src` does not cover (CSP3 section 6).
 * `form-action` also applies to redirects after a form. @throws Error if not an origin, which could
 * inject directives
 */
export function policiesOf(returnOrigin: string | null): [string, string] {
  if (returnOrigin !== null && URL.parse(returnOrigin)?.origin !== returnOrigin) {
    throw new Error('a return address that is no origin')
  }
  const targets = returnOrigin === null ? "'self'" : `'self' ${returnOrigin}`
  return [
    securityHeaders['content-security-policy'],
    `form-action ${targets}; base-uri 'none'; frame-ancestors 'none'; object-src 'none'`,
  ]
}
