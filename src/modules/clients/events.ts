import { eventType } from '../../core/events/types.ts'

export const clientAuthenticationFail = eventType<{ client: string | null }>('authn_client_fail', {
  level: 'warn',
  groups: ['refusedLogins'],
  description: 'the secret of a client is wrong',
  fields: { client: 'null if no client has the id' },
  words: { en: 'Secret of a client refused', de: 'Geheimnis eines Clients abgelehnt' },
})

export const clientsChanged = eventType<{ clients: readonly string[] }>('sys_clients_changed', {
  groups: [],
  inOverview: true,
  description: 'a changed `CLIENTS_FILE` is taken up',
  fields: { clients: 'the ids of all clients' },
  words: { en: 'List of clients changed', de: 'Liste der Clients geändert' },
})

type ClientFields = { readonly client: string }
const fields = { client: '' }
const groups = ['applications'] as const

export const clientCreated = eventType<ClientFields & { readonly type: string | null }>(
  'client_created',
  {
    groups,
    inOverview: true,
    description: 'a client is added to the database',
    fields: { ...fields, type: 'of an application; null for others' },
    words: { en: 'Client created', de: 'Client angelegt' },
  },
)

export const clientChanged = eventType<ClientFields & { readonly changed: readonly string[] }>(
  'client_changed',
  {
    groups,
    inOverview: true,
    description: 'a client of the database is changed',
    fields: { ...fields, changed: 'the names of the fields that differ' },
    words: { en: 'Client changed', de: 'Client geändert' },
  },
)

export const clientRemoved = eventType<ClientFields>('client_removed', {
  groups,
  inOverview: true,
  description: 'a client of the database is removed',
  fields,
  words: { en: 'Client removed', de: 'Client entfernt' },
})

export const clientSecretAdded = eventType<ClientFields & { readonly ends_earlier: boolean }>(
  'client_secret_added',
  {
    groups,
    description: 'a client of the database gets a new secret',
    fields: { ...fields, ends_earlier: 'whether the secrets before it ended at once' },
    words: { en: 'Secret of a client added', de: 'Geheimnis eines Clients hinzugefügt' },
  },
)

export const clientSecretRemoved = eventType<ClientFields>('client_secret_removed', {
  groups,
  description: 'the earlier secret of a client of the database ends',
  fields,
  words: { en: 'Earlier secret of a client ended', de: 'Früheres Geheimnis eines Clients beendet' },
})
