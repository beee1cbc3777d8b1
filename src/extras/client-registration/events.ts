import { eventType } from '../../core/events/types.ts'

type TokenFields = { readonly registration_token: string }
const fields = { registration_token: 'its id' }
const groups = ['applications'] as const

export const registrationTokenCreated = eventType<
  TokenFields & { readonly scopes: readonly string[]; readonly redirect_hosts: readonly string[] }
>('registration_token_created', {
  groups,
  inOverview: true,
  description: 'an administrator lets applications register themselves by a token',
  fields: { ...fields, scopes: '', redirect_hosts: '' },
  words: { en: 'Registration token created', de: 'Registrierungs-Token erstellt' },
})

export const registrationTokenRevoked = eventType<TokenFields>('registration_token_revoked', {
  groups,
  description: 'an administrator revokes a registration token',
  fields,
  words: { en: 'Registration token revoked', de: 'Registrierungs-Token widerrufen' },
})

export const clientRegistered = eventType<TokenFields & { readonly client: string }>(
  'client_registered',
  {
    groups,
    inOverview: true,
    description: 'an application registers itself by a token',
    fields: { ...fields, client: '' },
    words: { en: 'Application registered itself', de: 'Anwendung hat sich registriert' },
  },
)
