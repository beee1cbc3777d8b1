import type { Migration } from './statement.ts'

/** Lockout, expiry of login attempts, used challenges. */
export const statements: Migration = [
  'alter table accounts add column failed_logins integer not null default 0',
  'alter table accounts add column locked_until integer',

  // Limits have different windows: an attempt expires after the longest.
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
