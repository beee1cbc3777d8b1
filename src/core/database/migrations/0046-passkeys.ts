import type { Migration } from './statement.ts'

/** Passkeys of accounts, and the challenges that a ceremony has used up. */
export const statements: Migration = [
  `create table passkeys (
    id text primary key,
    credential_id text not null,
    user_id integer not null references accounts (user_id) on delete cascade,
    public_key text not null,
    algorithm integer not null,
    counter integer not null,
    backup_eligible integer not null,
    backed_up integer not null,
    rp_id text not null,
    name text not null,
    transports text not null,
    created_at integer not null,
    used_at integer
  ) strict, without rowid`,
  'create index passkeys_by_user on passkeys (user_id, created_at)',

  `create table used_passkey_challenges (
    id text primary key,
    expires_at integer not null
  ) strict, without rowid`,
  'create index used_passkey_challenges_by_expiry on used_passkey_challenges (expires_at)',
]
