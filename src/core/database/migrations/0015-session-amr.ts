import type { Migration } from './statement.ts'

/** The authentication methods of a session's login; not known for existing sessions. */
export const statements: Migration = [
  `alter table sessions add column amr text not null default ''`,
]
