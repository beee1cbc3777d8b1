import type { FastifyReply } from 'fastify'
import { securityHeaders } from '../headers.ts'
import { contentTypes } from '../media-types.ts'

// Beside the field of spec 5.7, whose `default-src` covers none of these. CSP3 section 6.
const ownPolicy =
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'" as const

/**
 * Answers the text of a page. It adds a second policy to the one of every answer, and sends its
 * address to pages of this origin: without a referrer a browser sends `Origin: null` with the forms
 * of the page.
 */
export function sendHtml(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({
      'content-security-policy': [securityHeaders['content-security-policy'], ownPolicy],
      'referrer-policy': 'same-origin',
      'content-type': contentTypes.html,
    })
    .serializer(String)
    .send(text)
}
