import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { isLanguage, type Language, languages } from '../../lib/languages.ts'

/**
 * The cookie of the language that was chosen in this browser. Scripts have no use for it, and its
 * prefix prevents other hosts of the domain from setting one.
 */
export const languageCookieName = '__Host-language'
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const yearSeconds = 365 * 86_400
// Longer than that of any browser. Reading a header of 16 kB takes as long as hundreds of requests.
const maxLength = 1024

/**
 * The language of the answer to a request: `ui_locales` of the address, then what was chosen in this
 * browser, then the hint of a flow, then what the browser asks for, then `otherwise`. The language of
 * an account comes before all of them, and is the caller's to know.
 */
export function languageOf(
  request: FastifyRequest,
  otherwise: Language,
  hint?: Language | null,
): Language {
  return (
    askedLanguage(request) ??
    chosenLanguage(request) ??
    hint ??
    acceptedLanguage(request, otherwise)
  )
}

/**
 * The first language of `ui_locales` in which the pages are; undefined without one. OpenID Connect
 * Core 1.0 section 3.1.2.1: tags of BCP 47 between spaces, the preferred one first.
 */
export function askedLanguage(request: FastifyRequest): Language | undefined {
  const { ui_locales } = (request.query ?? {}) as { ui_locales?: unknown } // parsed by Fastify
  if (typeof ui_locales !== 'string' || ui_locales.length > maxLength) return undefined
  const primary = ui_locales.split(' ').map((tag) => tag.split('-', 1)[0]?.toLowerCase())
  return primary.find(isLanguage)
}

function chosenLanguage({ headers, server }: FastifyRequest): Language | undefined {
  if (headers.cookie === undefined) return undefined
  const chosen = server.parseCookie(headers.cookie)[languageCookieName]
  return isLanguage(chosen) ? chosen : undefined
}

function acceptedLanguage({ headers }: FastifyRequest, otherwise: Language): Language {
  if ((headers['accept-language']?.length ?? 0) > maxLength) return otherwise
  // The first of the offered counts for a browser without a preference.
  const offered = [otherwise, ...languages.filter((language) => language !== otherwise)]
  const found = new Negotiator({ headers }).language(offered)
  return isLanguage(found) ? found : otherwise
}

/** Keeps the language that a person has chosen, for a year. */
export function keepChosenLanguage(reply: FastifyReply, language: Language): void {
  reply.setCookie(languageCookieName, language, { ...flags, maxAge: yearSeconds })
}

/**
 * Keeps the language that an application has asked for by `ui_locales`, while the browser runs: the
 * pages that follow the first one have it no more in their addresses.
 */
export function keepAskedLanguage(request: FastifyRequest, reply: FastifyReply): void {
  const asked = askedLanguage(request)
  if (asked !== undefined && asked !== chosenLanguage(request)) {
    reply.setCookie(languageCookieName, asked, flags)
  }
}
