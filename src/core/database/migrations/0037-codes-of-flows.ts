import type { Migration } from './statement.ts'

/**
 * A code per flow: a mail names its flow and counts wrong codes. `is_extra`: sent although a limit
 * was reached. The previous version leaves `flow` null.
 */
export const statements: Migration = [
  'alter table mails add column flow text',
  'alter table mails add column tries integer not null default 0',
  'alter table mails add column is_extra integer not null default 0',
  'create index mails_by_flow on mails (flow) where flow is not null',
]
