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
