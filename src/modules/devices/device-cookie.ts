import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { Result } from '../authentication/completion.ts'

/** Hidden from applications at the service's host. */
export const deviceCookieName = '__Host-device'
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const secretBytes = 32
const format = /^[A-Za-z0-9_-]{43}$/
const keptSeconds = 365 * 86_400

/** The secret of the browser that sends the request. */
export function browserCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  const sent = cookie && request.server.parseCookie(cookie)[deviceCookieName]
  return sent && format.test(sent) ? sent : undefined
}

/**
 * Identifies the device of a login by a long-lived cookie. Never signs in; secret so that no other
 * browser can pose as this device, which the account may remember (extras/remembered-devices).
 */
export function ofBrowser<Issued, Answer>(
  result: Result<Issued, Answer>,
  request: FastifyRequest,
  reply: FastifyReply,
  random: Random,
): Result<Issued, Answer> {
  const browser = browserCookie(request) ?? randomText(random, secretBytes)
  return {
    issue: result.issue,
    browser,
    respond(issued, evidence) {
      reply.setCookie(deviceCookieName, browser, { ...flags, maxAge: keptSeconds })
      return result.respond(issued, evidence)
    },
  }
}
