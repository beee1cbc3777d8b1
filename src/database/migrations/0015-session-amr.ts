import type { Migration } from './statement.ts'

/** How the login of a session was proved. Of those that stand it is not known. */
export const statements: Migration = [
  `alter table sessions add column amr text not null default ''`,
]
