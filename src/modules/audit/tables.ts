import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'audit_records',
    key: ['number'],
    givesIds: true,
    needsKeys: true,
    namesPerson: {
      columns: ['actor_sealed', 'target_sealed'],
      atErasure: 'stay sealed, and open no more',
    },
    namesNone: [
      'chain',
      'id',
      'type',
      'level',
      'outcome',
      'reason',
      'request_id',
      'facts',
      'actor_key',
      'target_key',
      'actor_index',
      'target_index',
      'address_index',
      'mac',
    ],
  },
  {
    name: 'audit_chains',
    key: ['chain'],
    needsKeys: true,
    namesNone: ['chain', 'instance', 'version'],
  },
  {
    name: 'audit_subjects',
    key: ['subject'],
    needsKeys: true,
    namesPerson: { columns: ['subject'], atErasure: 'the row goes, in the same transaction' },
    namesNone: ['pseudonym', 'sealed'],
  },
  {
    name: 'audit_checkpoints',
    key: ['number'],
    needsKeys: true,
    namesNone: ['previous', 'heads', 'key_id', 'signature'],
  },
  {
    name: 'audit_tombstones',
    key: ['chain'],
    needsKeys: true,
    namesNone: ['chain', 'mac', 'key_id', 'signature', 'closed'],
  },
  {
    name: 'erasures',
    key: ['id'],
    givesIds: true,
    needsKeys: true,
    person: {
      column: 'user_id',
      onDelete: { kept: 'what is left to be done, for ten minutes' },
      excluded: 'there is none before the erasure',
    },
    namesNone: ['pseudonym', 'actor_index', 'target_index'],
  },
  { name: 'audit_erasures_unlisted', key: ['through'], needsKeys: true },
  {
    name: 'audit_verifications',
    key: [],
    leftOut: 'of the installation that verified',
    namesNone: ['state', 'node', 'result', 'detail'],
  },
  {
    name: 'audit_checkpoint_keys',
    key: ['key_id'],
    needsKeys: true,
    namesNone: ['key_id', 'public_key', 'successor', 'digest', 'own_signature', 'signature'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    audit_records: AuditRecordsTable
    audit_chains: AuditChainsTable
    audit_subjects: AuditSubjectsTable
    audit_checkpoints: AuditCheckpointsTable
    audit_tombstones: AuditTombstonesTable
    erasures: ErasuresTable
    audit_erasures_unlisted: AuditErasuresUnlistedTable
    audit_verifications: AuditVerificationsTable
    audit_checkpoint_keys: AuditCheckpointKeysTable
  }
}

/** Binary values are base64url: see audit/record-form.ts. */
interface AuditRecordsTable {
  /** Order of insertion; never reused. */
  number: Generated<number>
  chain: string
  /** From 1, without gaps. */
  place: number
  /** ULID. */
  id: string
  at: number
  type: string
  level: 'info' | 'warn' | 'critical'
  outcome: 'success' | 'failure'
  reason: string | null
  request_id: string | null
  /** Canonical JSON without persons. */
  facts: string
  /** Pseudonym of the sealing key, or `service`. */
  actor_key: string | null
  actor_sealed: string | null
  target_key: string | null
  target_sealed: string | null
  /** Keyed digests; not in the chain. */
  actor_index: string | null
  target_index: string | null
  address_index: string | null
  /** Covers the previous mac. */
  mac: string
  /** Null: a batch will add the record to the search indexes. See audit/indexes.ts. */
  indexed: Generated<number | null>
}

/** Written by one process. */
interface AuditChainsTable {
  chain: string
  instance: string
  version: string
  opened_at: number
  closed_at: number | null
}

interface AuditSubjectsTable {
  /** User id, `issuer#sub`, or `client:id`. */
  subject: string
  /** The key's name in records. */
  pseudonym: string
  /** Encrypted under the data key. */
  sealed: string
}

interface AuditCheckpointsTable {
  /** Without gaps. */
  number: number
  at: number
  /** SHA-256 of the previous checkpoint. */
  previous: string
  /** JSON: `[chain, from, place, mac, number]`; see checkpoint-form.ts. */
  heads: string
  /** Records ever written. */
  records: number
  key_id: string
  signature: string
}

/** A removed start of a chain. */
interface AuditTombstonesTable {
  chain: string
  place: number
  mac: string
  records: number
  at: number
  key_id: string
  signature: string
  /** See audit/closed-keys.ts. */
  closed: Generated<string>
}

/** Remaining work, one row per key: see audit/erasure.ts. */
interface ErasuresTable {
  id: Generated<number>
  user_id: number
  /** Null without a key. */
  pseudonym: string | null
  /** The index values to empty. */
  actor_index: string | null
  target_index: string | null
  at: number
  /** First time that all records were cleared. */
  cleared_at: number | null
}

/** Last record without proof of erasures: see audit/unlisted-erasures.ts. At most one row. */
interface AuditErasuresUnlistedTable {
  through: number
}

/** Requested over HTTP: see audit/verify/runs.ts. */
interface AuditVerificationsTable {
  id: Generated<number>
  state: 'waiting' | 'running' | 'done' | 'failed'
  asked_at: number
  started_at: number | null
  finished_at: number | null
  node: string
  /** Job lease; 0 while waiting. */
  locked_until: Generated<number>
  /** Progress. */
  records: Generated<number>
  /** JSON report. */
  result: string | null
  detail: string | null
}

/** From before a rotation of the master key. */
interface AuditCheckpointKeysTable {
  key_id: string
  public_key: string
  /** Id of the next key. */
  successor: string
  /** Last checkpoint before the rotation, or 0; its digest. */
  number: number
  digest: string
  at: number
  /** Of this key and the next. */
  own_signature: string
  signature: string
}
