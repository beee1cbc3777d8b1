import { eventType } from '../../core/events/types.ts'

export const tokenCreated = eventType<{ user_id: number; grant: 'login' | 'refresh' }>(
  'authn_token_created',
)

export const tokenRevoked = eventType<{
  /** The user of the token; null for one that is known by its id alone, or is a provider's. */
  user_id: number | null
  reason: 'logout' | 'administrator' | 'client'
}>('authn_token_revoked')

/** The database had lost revocations that this process knew; they are stored again. */
export const commitsLost = eventType<{ revocations_restored: number }>('sys_commits_lost', 'warn')
