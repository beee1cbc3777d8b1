import { languageAmong } from '../../core/http/pages/language.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Application } from '../../modules/clients/application.ts'
import type { LiveSession, StoredSession } from '../../modules/sessions/sessions.ts'
import { authTimeOf } from '../../modules/sessions/sessions.ts'
import { authSeconds } from './account-claims.ts'
import type { Interaction, Seen } from './interactions.ts'

/**
 * The `acr` of a login with two factors; others have none. It is the word of `amr` (RFC 8176): a
 * level of NIST or ISO 29115 would state more than the service knows of its operator.
 */
export const twoFactors = 'mfa'

// Clock skew between nodes.
const skewMs = 5000

/**
 * Whether the application wants a login of now, and the session is not one. Sessions are compared:
 * a login of the same second is another login. Times are compared too: a browser can send the
 * cookie of an old session later than its first look.
 */
export function mustSignInAnew(
  { before, params, seen }: Pick<Interaction, 'before' | 'params' | 'seen'>,
  session: LiveSession | null,
  now: number,
): boolean {
  if (before.login) return false
  const isAsked = params.prompt?.split(' ').includes('login') === true
  const maxAge = params.max_age === undefined ? null : Number(params.max_age)
  if (!isAsked && maxAge === null) return false
  if (session && hasSignedInSince(seen, session)) return false
  if (isAsked || session === null) return true
  return now - authTimeOf(session.stored) >= (maxAge ?? 0) * 1000
}

function isLaterThan({ at, session: before }: Seen, { stored }: LiveSession): boolean {
  return stored.id !== before && stored.createdAt >= at - skewMs
}

/** Where the person signs in, with the name and the language that the application proposes. */
export function signInPath(
  path: string,
  { login_hint, ui_locales }: Interaction['params'],
  { again = false, needsTwoFactors = false }: { again?: boolean; needsTwoFactors?: boolean } = {},
): string {
  const return_to = needsTwoFactors ? `${path}?two_factor=1` : path
  const query = new URLSearchParams({
    return_to,
    ...(again && { again: '1' }),
    ...(login_hint !== undefined && { login_hint }),
  })
  return inLanguage(`/signin?${query}`, ui_locales)
}

/** The address with the first of the languages that is ours. OpenID Connect Core 3.1.2.1 */
export function inLanguage(address: string, ui_locales: string | undefined): string {
  const language = languageAmong(ui_locales)
  if (language === undefined) return address
  return `${address}${address.includes('?') ? '&' : '?'}ui_locales=${language}`
}

/** Whether the person has just signed in for this request. */
export function hasSignedInSince(seen: Seen | null, session: LiveSession): boolean {
  return seen !== null && isLaterThan(seen, session)
}

/** Whether the application wishes two factors of a person who has a second one. Core 3.1.2.1 */
export function wishesTwoFactors(
  { acr_values }: Interaction['params'],
  { secondFactor }: Pick<Account, 'secondFactor'>,
): boolean {
  return secondFactor && acr_values?.split(' ').includes(twoFactors) === true
}

/** The login for the library. */
export function loginOf(session: StoredSession) {
  return {
    accountId: String(session.userId),
    ts: authSeconds(authTimeOf(session)),
    amr: [...session.amr],
    ...(session.amr.includes('mfa') && { acr: twoFactors }),
    remember: session.isKept,
  }
}

/** What the application asks for, of what its entry lets it have: a person allows nothing else. */
export function scopesIn(
  { params }: Pick<Interaction, 'params'>,
  { scopes }: Pick<Application, 'scopes'>,
): string[] {
  const asked = new Set(params.scope?.split(' '))
  return [...asked].filter((scope) => scopes.includes(scope))
}
