import type { Migration } from './statement.ts'

/** Endpoints are claimed by due time; older nodes also use `lane`. */
export const statements: Migration = [
  'create index webhook_queues_by_due on webhook_queues (due_at) where due_at is not null',
]
