import { eventType } from '../../core/events/types.ts'

interface Fields {
  readonly [field: string]: string | number | null | readonly string[]
  readonly user_id: number | null
  readonly client: string
}
const fields = { user_id: 'null: the application for itself', client: 'the id of the application' }

export const tokensIssued = eventType<
  Fields & { readonly type: string; readonly grant: string; readonly scopes: readonly string[] }
>('application_tokens_issued', {
  groups: ['logins'],
  description: 'an application receives tokens',
  fields: {
    ...fields,
    type: 'of the application',
    grant: 'the `grant_type` of the request',
    scopes: '',
  },
  words: { en: 'Tokens for an application', de: 'Token für eine Anwendung' },
})

export const accessGiven = eventType<Fields & { readonly scopes: readonly string[] }>(
  'application_access_given',
  {
    groups: ['logins'],
    description: 'a person lets an application have something of the account',
    fields: { ...fields, scopes: '' },
    words: { en: 'Access for an application', de: 'Zugriff für eine Anwendung' },
  },
)

export const accessWithdrawn = eventType<Fields>('application_access_withdrawn', {
  groups: ['logins'],
  description:
    'a person or an administrator withdraws the access of an application, whose tokens end',
  fields,
  words: { en: 'Access of an application withdrawn', de: 'Zugriff einer Anwendung entzogen' },
})

export const accessesEnded = eventType<{ readonly client: string; readonly consents: number }>(
  'application_accesses_ended',
  {
    groups: ['logins'],
    description:
      'a client has been in neither `CLIENTS_FILE` nor the database for ten minutes, or longer: its consents and tokens end',
    fields: { client: 'the id that it had', consents: '' },
    words: {
      en: 'All access of a removed application ended',
      de: 'Aller Zugriff einer entfernten Anwendung beendet',
    },
  },
)

export const tokenReused = eventType<Fields>('application_token_reuse', {
  level: 'warn',
  groups: ['attacks'],
  description:
    'a code or a refresh token of an application is used a second time: what came of it ends',
  fields,
  words: {
    en: 'Token of an application used twice',
    de: 'Token einer Anwendung zweimal benutzt',
  },
})

export const tokensRevoked = eventType<Fields>('application_tokens_revoked', {
  groups: ['logins'],
  description: 'an application ends its tokens',
  fields,
  words: { en: 'Tokens of an application ended', de: 'Token einer Anwendung beendet' },
})

export const logoutDelivered = eventType<{ readonly client: string }>(
  'application_logout_delivered',
  {
    groups: [],
    description: 'a logout token is delivered to an application',
    fields: { client: 'the id of the application' },
    words: { en: 'Logout delivered to an application', de: 'Anwendung über Abmeldung informiert' },
  },
)

export const logoutFailed = eventType<{ readonly client: string; readonly fault: string }>(
  'application_logout_failed',
  {
    level: 'warn',
    groups: [],
    description: 'a logout token could not be delivered to an application for a day',
    fields: { client: 'the id of the application', fault: '' },
    words: {
      en: 'Logout not delivered to an application',
      de: 'Anwendung nicht über Abmeldung informiert',
    },
  },
)
