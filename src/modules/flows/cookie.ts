import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Random, randomText } from '../../core/crypto/random.ts'

/** Binds flows to the browser that began them. */
export interface BrowserCookie {
  /** Undefined unless well-formed. */
  read(request: FastifyRequest): string | undefined
  /** Creates a value if absent: shared by all tabs of a browser. */
  valueOf(request: FastifyRequest, random: Random): string
  set(reply: FastifyReply, value: string): void
  clear(reply: FastifyReply): void
}

/**
 * Lax: sent on redirects from providers and links in mail. The prefix `__Host-` prevents other
 * hosts of the domain from setting the cookie. RFC 6265bis section 4.1.3.2.
 */
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const secretBytes = 32
const format = /^[A-Za-z0-9_-]{43}$/

/** The lifetime renews each time the cookie is set. */
export function browserCookie(name: `__Host-${string}`, seconds: number): BrowserCookie {
  const read = ({ headers, server }: FastifyRequest) => {
    const value =
      headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name]
    return value !== undefined && format.test(value) ? value : undefined
  }
  return {
    read,
    valueOf: (request, random) => read(request) ?? randomText(random, secretBytes),
    set(reply, value) {
      reply.setCookie(name, value, { ...flags, maxAge: seconds })
    },
    clear(reply) {
      reply.clearCookie(name, flags)
    },
  }
}
