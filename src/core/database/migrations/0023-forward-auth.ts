import type { Migration } from './statement.ts'

/**
 * Sessions at application hosts, and tickets that transfer a session; both end with their session,
 * in the same statement.
 */
export const statements: Migration = [
  `create table forward_tickets (
    id text primary key,
    session_id text not null references sessions (id) on delete cascade,
    origin text not null,
    browser text not null,
    return_to text not null,
    expires_at integer not null
  ) strict`,
  'create index forward_tickets_by_session on forward_tickets (session_id)',
  'create index forward_tickets_by_expiry on forward_tickets (expires_at)',

  `create table forward_sessions (
    id text primary key,
    session_id text not null references sessions (id) on delete cascade,
    origin text not null,
    created_at integer not null
  ) strict`,
  'create index forward_sessions_by_session on forward_sessions (session_id, origin)',
]
