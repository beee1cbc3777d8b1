import type { Migration } from './statement.ts'

/**
 * Rejections of a day, and sessions ended with all logins. `network` is the address or the IPv6 /64
 * network, used to limit rows.
 */
export const statements: Migration = [
  `create table refusals (
    id text primary key,
    at integer not null,
    status integer not null,
    error text not null,
    method text not null,
    route text,
    code text not null,
    facts text not null,
    scheme text,
    subject text,
    address text not null,
    network text not null
  ) strict`,
  'create index refusals_at on refusals (at)',
  'create index refusals_network on refusals (network, at)',

  `create table session_ends (
    id text primary key,
    user_id integer not null references users (id) on delete cascade,
    ended_at integer not null
  ) strict`,
  'create index session_ends_ended_at on session_ends (ended_at)',
  'create index session_ends_user on session_ends (user_id)',
]
