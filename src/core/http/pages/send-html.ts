import type { FastifyReply } from 'fastify'
import { securityHeaders } from '../headers.ts'
import { contentTypes } from '../media-types.ts'

/** To which origins a form of a page may lead, besides its own. */
interface Forms {
  readonly returnOrigin?: string | null
}

/**
 * Answers the text of a page. It adds a second policy to the one of every answer, and sends its
 * address to pages of this origin: without a referrer a browser sends `Origin: null` with the forms
 * of the page. No page of another origin keeps a hold of its window.
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
 * The field of spec 5.7, and one for what its `default-src` does not cover. CSP3 section 6. Browsers
 * apply `form-action` to the redirects that follow a form, too: where a flow ends at an application,
 * its origin is added. @throws Error if that is no origin, which could add more than one word
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
