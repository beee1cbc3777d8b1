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

/** Binary values of the audit tables are base64url: see audit/record-form.ts. */
interface AuditRecordsTable {
  /** The order of insertion, never used again. */
  number: Generated<number>
  chain: string
  /** 1 for the first record of the chain, then without gaps. */
  place: number
  /** A ULID. */
  id: string
  at: number
  type: string
  level: 'info' | 'warn' | 'critical'
  outcome: 'success' | 'failure'
  reason: string | null
  request_id: string | null
  /** Canonical JSON of the fields that name no person. */
  facts: string
  /** The pseudonym of the person whose key has sealed the fields of the actor, or `service`. */
  actor_key: string | null
  actor_sealed: string | null
  target_key: string | null
  target_sealed: string | null
  /** Keyed digests, by which records are found; not part of the chain. */
  actor_index: string | null
  target_index: string | null
  address_index: string | null
  /** Authenticates the record and the one before it in the chain. */
  mac: string
}

/** A chain of records, which one process writes. */
interface AuditChainsTable {
  chain: string
  instance: string
  version: string
  opened_at: number
  closed_at: number | null
}

/** A key for each person whom records name. */
interface AuditSubjectsTable {
  /** The user's id as text, `issuer#sub`, or `client:id`. */
  subject: string
  /** The name of the key in records, by which a reader finds it. */
  pseudonym: string
  /** The key, encrypted under the data key. */
  sealed: string
}

interface AuditCheckpointsTable {
  /** Without gaps. */
  number: number
  at: number
  /** SHA-256 of the checkpoint before. */
  previous: string
  /** JSON: of each chain that has grown, `[chain, from, place, mac, number]`; see checkpoint-form.ts. */
  heads: string
  /** How many records were ever written. */
  records: number
  key_id: string
  signature: string
}

/** The beginning of a chain that retention has removed. */
interface AuditTombstonesTable {
  chain: string
  /** The last removed record. */
  place: number
  mac: string
  /** How many records of the chain were removed in all. */
  records: number
  at: number
  key_id: string
  signature: string
  /** The closed keys that removed records list: see audit/closed-keys.ts. */
  closed: Generated<string>
}

/** What is left to be done of erasures, for some minutes: see audit/erasure.ts. A row for each key. */
interface ErasuresTable {
  id: Generated<number>
  user_id: number
  /** The name of the key in records; null if the person had none. */
  pseudonym: string | null
  /** What the indexes of records hold until they are emptied. */
  actor_index: string | null
  target_index: string | null
  at: number
  /** When all records were cleared for the first time. */
  cleared_at: number | null
}

/** Up to which record erasures have no proof: see audit/unlisted-erasures.ts. At most one row. */
interface AuditErasuresUnlistedTable {
  through: number
}

/** Verifications that were asked for over HTTP: see audit/verify/runs.ts. */
interface AuditVerificationsTable {
  id: Generated<number>
  state: 'waiting' | 'running' | 'done' | 'failed'
  asked_at: number
  started_at: number | null
  finished_at: number | null
  node: string
  /** The lease of the node that verifies; 0 while it waits. */
  locked_until: Generated<number>
  /** How many records were verified when the node last said so. */
  records: Generated<number>
  /** The report, as JSON. */
  result: string | null
  /** Why it failed. */
  detail: string | null
}

/** A key that signed checkpoints before the master key was rotated. */
interface AuditCheckpointKeysTable {
  key_id: string
  /** Ed25519, `x` of RFC 8037. */
  public_key: string
  /** The id of the key after it. */
  successor: string
  /** The last checkpoint before the turn, 0 if there was none, and its digest. */
  number: number
  digest: string
  at: number
  /** Of this key, and of the one after it. */
  own_signature: string
  signature: string
}
