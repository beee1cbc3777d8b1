import type { Migration } from './statement.ts'

/**
 * The audit log: chained records, keys of persons, and proofs of completeness. Records are
 * inserted, deleted as whole prefixes of chains, and updated only to clear indexes. docs/adr/0050
 */
export const statements: Migration = [
  // `number` is the insertion order; `place` counts the chain's records without gaps.
  `create table audit_records (
    number integer primary key autoincrement,
    chain text not null,
    place integer not null check (place > 0),
    id text not null,
    at integer not null,
    type text not null,
    level text not null check (level in ('info', 'warn', 'critical')),
    outcome text not null check (outcome in ('success', 'failure')),
    reason text,
    request_id text,
    facts text not null,
    actor_key text,
    actor_sealed text,
    target_key text,
    target_sealed text,
    actor_index text,
    target_index text,
    address_index text,
    mac text not null,
    unique (chain, place)
  ) strict`,
  // Lists are newest first, so each filter's index ends with this order.
  'create index audit_records_by_time on audit_records (at, number)',
  'create index audit_records_by_type on audit_records (type, at, number)',
  ...['actor_index', 'target_index', 'address_index', 'request_id'].map(
    (column) => `create index audit_records_by_${column} on audit_records (${column}, at, number)
      where ${column} is not null`,
  ),

  `create table audit_chains (
    chain text primary key,
    instance text not null,
    version text not null,
    opened_at integer not null,
    closed_at integer
  ) strict, without rowid`,
  'create index audit_chains_by_end on audit_chains (closed_at, opened_at)',

  // Deleting the row erases the person's fields.
  `create table audit_subjects (
    subject text primary key,
    pseudonym text not null unique,
    sealed text not null
  ) strict, without rowid`,

  `create table audit_checkpoints (
    number integer primary key check (number > 0),
    at integer not null,
    previous text not null,
    heads text not null,
    records integer not null,
    key_id text not null,
    signature text not null
  ) strict`,

  `create table audit_tombstones (
    chain text primary key,
    place integer not null,
    mac text not null,
    records integer not null,
    at integer not null,
    key_id text not null,
    signature text not null
  ) strict, without rowid`,
]
