import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Random, randomText } from '../../core/crypto/random.ts'

/** A cookie that binds flows to the browser that began them. */
export interface BrowserCookie {
  /** The value that the browser has sent, undefined without a well-formed one. */
  read(request: FastifyRequest): string | undefined
  /** The same, or a new value: the same for all flows of a browser, so that two tabs can go on. */
  valueOf(request: FastifyRequest, random: Random): string
  set(reply: FastifyReply, value: string): void
  clear(reply: FastifyReply): void
}

/**
 * It is Lax, because the browser must send it when a provider redirects back, and with the link of a
 * mail. The prefix `__Host-` of its name prevents other hosts of the domain from setting one.
 * RFC 6265bis section 4.1.3.2.
 */
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const secretBytes = 32
const format = /^[A-Za-z0-9_-]{43}$/

/** A cookie of this name, which lives for so many seconds after each time it was set. */
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
