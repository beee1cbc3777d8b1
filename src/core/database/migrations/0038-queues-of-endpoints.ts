import type { Migration } from './statement.ts'

/** Endpoints of webhooks are claimed in the order of their due times; older nodes use `lane` too. */
export const statements: Migration = [
  'create index webhook_queues_by_due on webhook_queues (due_at) where due_at is not null',
]
