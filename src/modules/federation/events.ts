import { eventType } from '../../core/events/types.ts'

export const identityLinked = eventType<{ user_id: number; issuer: string }>('identity_linked', {
  groups: ['credentials'],
  notice: { message: 'identity_linked' },
  description: 'an identity of a provider can sign in to an account from now on',
  fields: { user_id: '', issuer: '' },
  words: { en: 'Provider linked', de: 'Anbieter verknüpft' },
})

export const identityUnlinked = eventType<{ user_id: number; identity: number; issuer: string }>(
  'identity_unlinked',
  {
    groups: ['credentials'],
    notice: { message: 'identity_unlinked' },
    description: 'an identity of a provider can no longer sign in to an account',
    fields: { user_id: '', identity: '', issuer: '' },
    words: { en: 'Provider unlinked', de: 'Verknüpfung eines Anbieters gelöst' },
  },
)

export const identityProviderFail = eventType<{ provider: string; reason: string }>(
  'identity_provider_fail',
  {
    level: 'warn',
    groups: [],
    description: 'a request to a provider failed that no caller waits for',
    fields: { provider: '', reason: '' },
    words: { en: 'Provider did not answer', de: 'Anbieter antwortet nicht' },
  },
)
