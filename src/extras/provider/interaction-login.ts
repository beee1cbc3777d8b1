import type { Application } from '../../modules/clients/application.ts'
import type { LiveSession, StoredSession } from '../../modules/sessions/sessions.ts'
import { authTimeOf } from '../../modules/sessions/sessions.ts'
import { authSeconds } from './account-claims.ts'
import type { Interaction, Seen } from './interactions.ts'

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
  if (seen && session && isLaterThan(seen, session)) return false
  if (isAsked || session === null) return true
  return now - authTimeOf(session.stored) >= (maxAge ?? 0) * 1000
}

function isLaterThan({ at, session: before }: Seen, { stored }: LiveSession): boolean {
  return stored.id !== before && stored.createdAt >= at - skewMs
}

export function signInPath(
  path: string,
  { again = false, needsTwoFactors = false }: { again?: boolean; needsTwoFactors?: boolean } = {},
): string {
  const return_to = needsTwoFactors ? `${path}?two_factor=1` : path
  return `/signin?${new URLSearchParams({ return_to, ...(again && { again: '1' }) })}`
}

/** The login for the library. */
export function loginOf(session: StoredSession) {
  return {
    accountId: String(session.userId),
    ts: authSeconds(authTimeOf(session)),
    amr: [...session.amr],
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
