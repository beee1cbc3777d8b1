import type { Migration } from './statement.ts'

const flowColumns =
  'id, browser, purpose, provider, user_id, sealed, return_to, expires_at, address'

/**
 * Mail, invitations, known devices and page flows. Personal data is encrypted with the data key;
 * `address_index` is a keyed digest of an address.
 */
export const statements: Migration = [
  // Not `email`: queries of the previous version join users and use `email` unqualified.
  'alter table accounts add column verified_email text',
  'alter table accounts add column verified_email_key text',
  'alter table accounts add column email_verified_at integer',
  'alter table accounts add column undeliverable_at integer',
  'alter table accounts add column undeliverable_reason text',
  'alter table accounts add column language text',
  'create unique index accounts_by_email on accounts (verified_email_key)',

  // SQLite cannot drop the check of the purpose.
  {
    sqlite: [
      'alter table flows rename to flows_before',
      `create table flows (
    id text primary key,
    browser text not null,
    purpose text not null,
    provider text not null,
    user_id integer references accounts (user_id) on delete cascade,
    sealed text not null,
    return_to text not null,
    expires_at integer not null,
    address text not null default ''
  ) strict, without rowid`,
      `insert into flows (${flowColumns}) select ${flowColumns} from flows_before`,
      'drop table flows_before',
      'create index flows_by_expiry on flows (expires_at)',
      'create index flows_by_address on flows (purpose, address, expires_at)',
      'create index flows_by_user on flows (user_id, purpose, expires_at)',
    ],
    postgres: ['alter table flows drop constraint flows_purpose_check'],
  },
  "alter table flows add column step text not null default ''",
  'alter table flows add column tries integer not null default 0',
  'alter table flows add column language text',

  `create table confirmations (
    id text primary key,
    purpose text not null,
    user_id integer references accounts (user_id) on delete cascade,
    address_index text not null,
    sealed text not null,
    version integer not null,
    flow text,
    tries integer not null default 0,
    created_at integer not null,
    expires_at integer not null,
    used_at integer
  ) strict`,
  'create index confirmations_by_user on confirmations (user_id, purpose, expires_at)',
  'create index confirmations_by_address on confirmations (address_index, purpose, expires_at)',
  'create index confirmations_by_expiry on confirmations (expires_at)',

  `create table mails (
    id text primary key,
    message text not null,
    kind text not null check (kind in ('request', 'notice')),
    state text not null,
    user_id integer references users (id) on delete set null,
    confirmation text,
    sealed text,
    address_index text not null,
    client_index text,
    priority integer not null,
    attempts integer not null default 0,
    due_at integer not null,
    expires_at integer not null,
    locked_until integer,
    locked_by text,
    response text,
    created_at integer not null,
    finished_at integer
  ) strict`,
  "create index mails_due on mails (priority, due_at) where state in ('waiting', 'sending')",
  // Excludes unsent mail: repeated requests would slow the count and reveal whether an address gets
  // mail.
  `create index mails_to_address on mails (address_index, created_at)
    where kind = 'request' and state <> 'dropped'`,
  `create index mails_to_account on mails (user_id, created_at)
    where kind = 'request' and state <> 'dropped'`,
  'create index mails_by_user on mails (user_id, created_at)',
  'create index mails_by_client on mails (client_index, created_at) where client_index is not null',
  'create index mails_by_creation on mails (created_at, id)',
  'create index mails_by_confirmation on mails (confirmation)',
  'create index mails_by_end on mails (finished_at) where finished_at is not null',
  'create index mails_sealed on mails (expires_at) where sealed is not null',

  `create table notices (
    id integer primary key autoincrement,
    user_id integer not null references accounts (user_id) on delete cascade,
    type text not null,
    at integer not null,
    sealed text not null
  ) strict`,
  'create index notices_by_user on notices (user_id, at)',
  'create index notices_by_time on notices (at)',

  `create table known_devices (
    user_id integer not null references accounts (user_id) on delete cascade,
    device text not null,
    first_seen_at integer not null,
    last_seen_at integer not null,
    primary key (user_id, device)
  ) strict, without rowid`,
  'create index known_devices_by_time on known_devices (last_seen_at)',

  `create table invitations (
    id integer primary key autoincrement,
    confirmation text not null unique,
    sealed text not null,
    address_index text not null,
    roles text not null,
    invited_by integer references users (id) on delete set null,
    created_at integer not null,
    expires_at integer not null,
    accepted_at integer,
    revoked_at integer,
    user_id integer references users (id) on delete cascade
  ) strict`,
  'create index invitations_by_address on invitations (address_index)',
  'create index invitations_by_inviter on invitations (invited_by)',
  'create index invitations_by_user on invitations (user_id)',
  'create index invitations_by_expiry on invitations (expires_at)',
]
