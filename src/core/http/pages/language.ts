import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { isLanguage, type Language, languages } from '../../lib/languages.ts'

/** HttpOnly; the prefix prevents other hosts of the domain from setting the cookie. */
export const languageCookieName = '__Host-language'
const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
const yearSeconds = 365 * 86_400
// Longer than any browser's; parsing 16 kB costs as much as hundreds of requests.
const maxLength = 1024

/**
 * Priority: `ui_locales`, cookie, hint, Accept-Language, `otherwise`. Callers handle the account
 * language, which precedes all.
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

export function askedLanguage(request: FastifyRequest): Language | undefined {
  const { ui_locales } = (request.query ?? {}) as { ui_locales?: unknown } // parsed by Fastify
  return languageAmong(ui_locales)
}

/** The first that we speak of BCP 47 tags by preference. OpenID Connect Core 3.1.2.1. */
export function languageAmong(ui_locales: unknown): Language | undefined {
  if (typeof ui_locales !== 'string' || ui_locales.length > maxLength) return undefined
  const primary = ui_locales.split(' ').map((tag) => tag.split('-', 1)[0]?.toLowerCase())
  return primary.find(isLanguage)
}

function chosenLanguage({ headers, server }: FastifyRequest): Language | undefined {
  if (headers.cookie === undefined) return undefined
  const chosen = server.parseCookie(headers.cookie)[languageCookieName]
  return isLanguage(chosen) ? chosen : undefined
}

/** Of an answer of the API: English, unless Accept-Language asks for another language. RFC 9110 12.5.4. */
export function apiLanguage(request: FastifyRequest): Language {
  return acceptedLanguage(request, 'en')
}

function acceptedLanguage({ headers }: FastifyRequest, otherwise: Language): Language {
  if ((headers['accept-language']?.length ?? 0) > maxLength) return otherwise
  // First: the default for browsers without a preference.
  const offered = [otherwise, ...languages.filter((language) => language !== otherwise)]
  const found = new Negotiator({ headers }).language(offered)
  return isLanguage(found) ? found : otherwise
}

/** One year. */
export function keepChosenLanguage(reply: FastifyReply, language: Language): void {
  reply.setCookie(languageCookieName, language, { ...flags, maxAge: yearSeconds })
}

/** Session cookie for `ui_locales`, which following pages lack. */
export function keepAskedLanguage(request: FastifyRequest, reply: FastifyReply): void {
  const asked = askedLanguage(request)
  if (asked !== undefined && asked !== chosenLanguage(request)) {
    reply.setCookie(languageCookieName, asked, flags)
  }
}
