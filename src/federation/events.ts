import { eventType } from '../events/types.ts'

/** The identity signs in to the account from now on. */
export const identityLinked = eventType<{ user_id: number; issuer: string }>('identity_linked')

export const identityUnlinked = eventType<{ user_id: number; identity: number }>(
  'identity_unlinked',
)

/** What is asked of a provider behind the requests had no answer. */
export const identityProviderFail = eventType<{ provider: string; reason: string }>(
  'identity_provider_fail',
  'warn',
)
