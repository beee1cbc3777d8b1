import type { Migration } from './statement.ts'

/**
 * Each flow has a code of its own: a mail names the flow that has asked for it, and counts the wrong
 * codes of the flow. `is_extra`: the mail was sent although a limit was reached. A node of the
 * version before leaves `flow` null.
 */
export const statements: Migration = [
  'alter table mails add column flow text',
  'alter table mails add column tries integer not null default 0',
  'alter table mails add column is_extra integer not null default 0',
  'create index mails_by_flow on mails (flow) where flow is not null',
]
