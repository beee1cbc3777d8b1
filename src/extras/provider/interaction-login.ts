import type { LiveSession, StoredSession } from '../../modules/sessions/sessions.ts'
import { authTimeOf } from '../../modules/sessions/sessions.ts'
import { authSeconds } from './account-claims.ts'
import type { Interaction } from './interactions.ts'

/**
 * Whether the application wants a login of now, and the session is not one. Sessions are compared,
 * not times: a login of the same second is another login.
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
  if (seen !== null && session !== null && session.stored.id !== seen) return false
  if (isAsked || session === null) return true
  return now - authTimeOf(session.stored) >= (maxAge ?? 0) * 1000
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

export function scopesIn({ params }: Pick<Interaction, 'params'>): string[] {
  return [...new Set(params.scope?.split(' ').filter(Boolean) ?? [])]
}
