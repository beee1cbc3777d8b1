import { signal } from '@preact/signals'
import { sessionPath } from './path.ts'

/** Who uses the console, as GET /api/session answers. */
export interface Session {
  readonly username: string
  readonly roles: readonly string[]
  readonly csrf_token: string
}

/** The session; null while there is none. */
export const session = signal<Session | null>(null)

/** The token that every change sends. */
export function csrfToken(): string {
  return session.value?.csrf_token ?? ''
}

/**
 * Reads the session of the cookie; null if there is none. Another person, who has signed in at
 * another tab, gets the page anew, and nothing that this one began goes on. @throws Error if nothing
 * answers
 */
export async function restoreSession(): Promise<Session | null> {
  const answer = await fetch(sessionPath, { headers: { accept: 'application/json' } })
  if (answer.status === 401) return null
  if (!answer.ok) throw new Error(`GET ${sessionPath}: ${answer.status}`)
  const restored = (await answer.json()) as Session
  if (session.value && session.value.username !== restored.username) {
    location.reload()
    return new Promise(() => {})
  }
  session.value = restored
  return restored
}

export function hasRole(...roles: readonly string[]): boolean {
  return session.value?.roles.some((role) => roles.includes(role)) ?? false
}
