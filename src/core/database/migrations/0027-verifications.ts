import type { Migration } from './statement.ts'

/** Requested verifications of the audit log; progress of imports. */
export const statements: Migration = [
  // `result` is the JSON report; `records` is the progress.
  `create table audit_verifications (
    id integer primary key autoincrement,
    state text not null,
    asked_at integer not null,
    started_at integer,
    finished_at integer,
    node text not null,
    locked_until integer not null default 0,
    records integer not null default 0,
    result text,
    detail text
  ) strict`,
  `create index audit_verifications_open on audit_verifications (state, id)
    where state in ('waiting', 'running')`,
  // The previous version does not write them.
  'alter table imports add column started_at integer',
  'alter table imports add column lines integer not null default 0',
  'alter table imports add column dry_run integer not null default 0',
]
