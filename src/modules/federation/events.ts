import { eventType } from '../../core/events/types.ts'

/** The identity can sign in to the account from now on. */
export const identityLinked = eventType<{ user_id: number; issuer: string }>('identity_linked')

export const identityUnlinked = eventType<{ user_id: number; identity: number; issuer: string }>(
  'identity_unlinked',
)

/** A request to a provider failed that was made beside the requests of callers. */
export const identityProviderFail = eventType<{ provider: string; reason: string }>(
  'identity_provider_fail',
  'warn',
)
