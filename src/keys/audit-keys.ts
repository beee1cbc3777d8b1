import { derivedKey } from '../kernel/digest.ts'

/** The keys of the audit log, 32 bytes each; two of them seal, so all are secret. */
export interface AuditKeys {
  /** Authenticates the records of all chains. */
  readonly chain: Uint8Array
  /** Of the digests by which records are found. */
  readonly index: Uint8Array
  /** Seals what names no person that is known. */
  readonly service: Uint8Array
  /** Seals the keys of persons: the data key itself. */
  readonly data: Uint8Array
  /** The Ed25519 seed of the checkpoints, which the database holds in no form. */
  readonly checkpointSeed: Uint8Array
}

/** Derives the keys of the audit log: those of its records travel with the data key. */
export function auditKeysOf(masterKey: Uint8Array, dataKey: Uint8Array): AuditKeys {
  return {
    chain: derivedKey(dataKey, 'audit chains'),
    index: derivedKey(dataKey, 'audit indexes'),
    service: derivedKey(dataKey, 'audit service'),
    data: dataKey,
    checkpointSeed: derivedKey(masterKey, 'audit checkpoints'),
  }
}
