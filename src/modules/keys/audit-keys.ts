import { derivedKey } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { MasterKeyConfig } from './master-key.ts'
import { createMasterRing } from './master-ring.ts'
import { keyStore } from './store.ts'

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
    checkpointSeed: checkpointSeedOf(masterKey),
  }
}

/** Derives the seed of the key that signs checkpoints. */
export function checkpointSeedOf(masterKey: Uint8Array): Uint8Array {
  return derivedKey(masterKey, 'audit checkpoints')
}

/** What `readAuditKeys` needs to find the master key. */
export interface AuditKeysDeps {
  readonly config: MasterKeyConfig
  readonly random: Random
}

/**
 * Reads the keys of the audit log, also in the transaction that makes the key set.
 * @throws Error if the master key does not open it, or there is none
 */
export async function readAuditKeys(
  db: DatabaseOrTransaction,
  { config, random }: AuditKeysDeps,
): Promise<AuditKeys> {
  const stored = await keyStore(db).all() // the newest first, as for the key set
  const key = stored.find(({ purpose, retiredAt }) => purpose === 'data' && retiredAt === null)
  if (!key) throw new Error('the database has no key of stored secrets')
  const ring = createMasterRing({ config, random, mayCreate: false })
  return auditKeysOf(ring.sealing([key]), ring.open(key))
}
