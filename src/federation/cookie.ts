import type { FastifyReply, FastifyRequest } from 'fastify'
import { flowCookieName } from '../config/oidc-settings.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { flowSeconds } from './flow.ts'

/**
 * The cookie that binds a sign-in to the browser that began it; later it holds the ticket for the
 * second factor. It is Lax, because the browser must send it when the provider redirects back. Its
 * prefix prevents other hosts of the domain from setting one. RFC 6265bis section 4.1.3.2.
 */
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const secretBytes = 32
const format = /^[A-Za-z0-9_-]{43}$/

export function flowCookie({ headers, server }: FastifyRequest): string | undefined {
  const value =
    headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[flowCookieName]
  return value !== undefined && format.test(value) ? value : undefined
}

/** The cookie's value, the same for all sign-ins of a browser, so that two tabs can sign in. */
export function browserOf(request: FastifyRequest, random: Random): string {
  return flowCookie(request) ?? randomText(random, secretBytes)
}

export function setFlowCookie(reply: FastifyReply, value: string): void {
  reply.setCookie(flowCookieName, value, { ...flags, maxAge: flowSeconds })
}

export function clearFlowCookie(reply: FastifyReply): void {
  reply.clearCookie(flowCookieName, flags)
}
