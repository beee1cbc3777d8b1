import { eventType } from '../events/types.ts'

export const tokenCreated = eventType<{ user_id: number; grant: 'login' | 'refresh' }>(
  'authn_token_created',
)

/**
 * A token was used that had been revoked, or a refresh token that had been replaced: then its token
 * family has ended. `user_id` is null for a token of an identity provider.
 */
export const tokenReuse = eventType<{ user_id: number | null; kind: 'access' | 'refresh' }>(
  'authn_token_reuse',
  'critical',
)

export const tokenRevoked = eventType<{ reason: 'logout' | 'administrator' | 'client' }>(
  'authn_token_revoked',
)

/** The database had lost revocations that this process knew; they are stored again. */
export const commitsLost = eventType<{ revocations_restored: number }>('sys_commits_lost', 'warn')
