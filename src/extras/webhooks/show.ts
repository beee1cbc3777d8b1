import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { DeliveryRow } from './delivery-store.ts'
import type { Endpoint } from './endpoints.ts'

/** Without health: the ETag is computed from these fields. */
export function webhookSettings(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: [...endpoint.events],
    content: endpoint.content,
    state: endpoint.state,
    previous_secret_until: isoTimeOrNull(endpoint.previousSecretUntil),
    created_at: isoTime(endpoint.createdAt),
    updated_at: isoTime(endpoint.updatedAt),
  }
}

export function webhookView(endpoint: Endpoint) {
  const { failingSince, succeededAt, status } = endpoint.health
  return {
    ...webhookSettings(endpoint),
    health: {
      failing_since: isoTimeOrNull(failingSince),
      succeeded_at: isoTimeOrNull(succeededAt),
      status,
    },
  }
}

export function deliveryView(row: DeliveryRow) {
  return {
    id: row.id,
    webhook: row.endpoint,
    message: row.message,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    status: row.status,
    detail: row.detail,
    at: isoTime(row.at),
    created_at: isoTime(row.created_at),
    due_at: isoTimeOrNull(row.finished_at === null ? row.due_at : null),
    finished_at: isoTimeOrNull(row.finished_at),
  }
}
