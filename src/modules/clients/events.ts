import { eventType } from '../../core/events/types.ts'

/** A secret of a client was wrong; `client` is null if no client has the id. */
export const clientAuthenticationFail = eventType<{ client: string | null }>(
  'authn_client_fail',
  'warn',
)

/** The running service has taken up a changed file of clients; the ids of all clients. */
export const clientsChanged = eventType<{ clients: readonly string[] }>('sys_clients_changed')
