import { type Migration, notifying } from './statement.ts'

/**
 * Webhooks, backups, master key rotations, erasures. Outbox events refer to audit records, so that
 * personal data is stored once, under the person's key.
 */
export const statements: Migration = [
  // Address and secrets are encrypted with the data key.
  `create table webhook_endpoints (
    id text primary key,
    sealed text not null,
    description text not null default '',
    events text not null,
    content text not null check (content in ('ids', 'full')),
    state text not null,
    created_at integer not null,
    updated_at integer not null
  ) strict`,
  notifying('webhook_endpoints', 'insert', 'update', 'delete'),

  // Separate because deliveries change the row, and nodes need no notification.
  `create table webhook_health (
    endpoint text primary key references webhook_endpoints (id) on delete cascade,
    failing_since integer,
    succeeded_at integer,
    status integer
  ) strict`,

  // One row per event; the fan-out follows the commit.
  `create table webhook_events (
    id integer primary key autoincrement,
    message text not null,
    type text not null,
    order_key text,
    target_id integer,
    chain text,
    place integer,
    checkpoint integer,
    at integer not null,
    spread_to text
  ) strict`,

  // Ordered by id per endpoint and order key; `message` is the webhook-id.
  `create table webhook_deliveries (
    id integer primary key autoincrement,
    endpoint text not null references webhook_endpoints (id) on delete cascade,
    message text not null,
    type text not null,
    order_key text,
    target_id integer,
    chain text,
    place integer,
    checkpoint integer,
    at integer not null,
    state text not null,
    attempts integer not null default 0,
    due_at integer not null,
    status integer,
    detail text,
    sealed text,
    created_at integer not null,
    finished_at integer
  ) strict`,
  `create index webhook_deliveries_due on webhook_deliveries (endpoint, due_at, id)
    where state = 'waiting'`,
  `create index webhook_deliveries_in_order on webhook_deliveries (endpoint, order_key, id)
    where state = 'waiting'`,
  // For the age of the oldest delivery of an endpoint.
  `create index webhook_deliveries_open on webhook_deliveries (endpoint, at)
    where state = 'waiting'`,
  'create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint, id)',
  `create index webhook_deliveries_by_end on webhook_deliveries (finished_at)
    where finished_at is not null`,

  // Orders endpoints, so that a delivery is searched in one queue.
  `create table webhook_queues (
    endpoint text primary key references webhook_endpoints (id) on delete cascade,
    lane text not null,
    due_at integer,
    locked_by text,
    failures integer not null default 0,
    paused_until integer not null default 0,
    wakes integer not null default 0
  ) strict`,
  `create index webhook_queues_due on webhook_queues (lane, due_at)
    where due_at is not null`,

  `create table backup_runs (
    id integer primary key autoincrement,
    started_at integer not null,
    node text not null,
    state text not null,
    locked_until integer not null,
    file text,
    bytes integer,
    sha256 text,
    detail text,
    finished_at integer
  ) strict`,
  'create index backup_runs_by_start on backup_runs (started_at)',

  // Remaining steps of an erasure; contains no personal data.
  `create table erasures (
    id integer primary key autoincrement,
    user_id integer not null,
    pseudonym text,
    actor_index text,
    target_index text,
    at integer not null,
    cleared_at integer
  ) strict`,
  // An erasure clears responses that name the user.
  'alter table idempotency_keys add column caller integer',
  'alter table idempotency_keys add column person integer',
  'create index idempotency_keys_by_caller on idempotency_keys (caller) where caller is not null',
  'create index idempotency_keys_by_person on idempotency_keys (person) where person is not null',
  'create index refusals_by_subject on refusals (subject) where subject is not null',
  // Hides encrypted mail from nodes of 0.7.0, which use `due_at` and `locked_until`.
  'alter table mails add column ready_at integer',
  'alter table mails add column lease_until integer',
  `create index mails_ready on mails (priority, coalesce(ready_at, due_at))
    where state in ('waiting', 'sending')`,

  // Rotations, and which processes know the next key.
  `create table master_key_turns (
    id text primary key,
    key_before text not null,
    key_next text not null,
    asked_at integer not null,
    turned_at integer
  ) strict`,
  notifying('master_key_turns', 'insert', 'update'),
  `create table master_key_nodes (
    turn text not null references master_key_turns (id) on delete cascade,
    instance text not null,
    knows integer not null,
    at integer not null,
    primary key (turn, instance)
  ) strict`,

  // Former checkpoint keys, each signed by its successor.
  `create table audit_checkpoint_keys (
    key_id text primary key,
    public_key text not null,
    successor text not null,
    number integer not null,
    digest text not null,
    at integer not null,
    own_signature text not null,
    signature text not null
  ) strict`,

  // `expand` or `contract`: see migration-kinds.ts.
  'alter table schema_version add column kind text',
]
