import { type Migration, notifying } from './statement.ts'

/** Revoked tokens, used refresh tokens. */
export const statements: Migration = [
  // A log that processes read incrementally. The user may be deleted.
  `create table revocations (
    id integer primary key autoincrement,
    token text,
    user_id integer,
    access_version integer,
    expires_at integer not null
  ) strict`,
  'create index revocations_by_expiry on revocations (expires_at)',
  notifying('revocations', 'insert'),

  `create table refresh_uses (
    rid text primary key,
    family text not null,
    successor text not null unique,
    issued_at integer not null,
    successor_expires_at integer not null,
    used_at integer not null
  ) strict, without rowid`,
  'create index refresh_uses_by_expiry on refresh_uses (successor_expires_at)',
  `create table refresh_families_ended (
    family text primary key,
    expires_at integer not null
  ) strict, without rowid`,
]
