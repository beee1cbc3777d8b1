import type { Migration } from './statement.ts'

/** Unknown for existing sessions. */
export const statements: Migration = [
  `alter table sessions add column amr text not null default ''`,
]
