import type { Migration } from './statement.ts'

export const statements: Migration = [
  `create table idempotency_keys (
    id text primary key,
    fingerprint text not null,
    answer text not null,
    expires_at integer not null
  ) strict, without rowid`,
  'create index idempotency_keys_by_expiry on idempotency_keys (expires_at)',
]
