import type { Migration } from './statement.ts'

/** Clients beside the file: the entry without its secrets, and digests of the secrets. */
export const statements: Migration = [
  `create table clients (
    id text primary key,
    entry text not null,
    secret_hashes text not null,
    created_at integer not null,
    updated_at integer not null
  ) strict, without rowid`,
  {
    postgres: [
      `create trigger clients_told after insert or update or delete on clients
      for each statement execute function tell_nodes()`,
    ],
  },
]
