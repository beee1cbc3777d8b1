import type { Migration } from './statement.ts'

/**
 * Why requests were refused, for a day, and which sessions ended with all logins of their account.
 * `network` is the address, or the /64 network of an IPv6 address, by which the rows are bounded.
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
