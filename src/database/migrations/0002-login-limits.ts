import type { Migration } from './statement.ts'

/** The automatic lock of accounts, places that know their end, and the challenges that were used. */
export const statements: Migration = [
  'alter table accounts add column failed_logins integer not null default 0',
  'alter table accounts add column locked_until integer',

  // Limits have windows of their own: each place says until when any count can need it.
  'alter table throttle_places add column expires_at integer not null default 0',
  'update throttle_places set expires_at = taken_at + 900000',
  'drop index throttle_places_by_time',
  'create index throttle_places_by_expiry on throttle_places (expires_at)',

  `create table used_challenges (
    nonce text primary key,
    expires_at integer not null
  ) strict, without rowid`,
  'create index used_challenges_by_expiry on used_challenges (expires_at)',
]
