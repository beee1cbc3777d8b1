import { derivedKey } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { MasterKeyConfig } from './master-key.ts'
import { createMasterRing } from './master-ring.ts'
import { keyStore } from './store.ts'

/** The keys of the audit log, 32 bytes each. */
export interface AuditKeys {
  /** Authenticates the records of all chains. */
  readonly chain: Uint8Array
  /** Key of the digests by which records are found. */
  readonly index: Uint8Array
  /** Seals records that name no known person. */
  readonly service: Uint8Array
  /** Seals the keys of persons; the data key itself. */
  readonly data: Uint8Array
  /** The Ed25519 seed of the checkpoints; never in the database. */
  readonly checkpointSeed: Uint8Array
}

/** Derives the keys of the audit log. The keys of records come from the data key. */
export function auditKeysOf(masterKey: Uint8Array, dataKey: Uint8Array): AuditKeys {
  return {
    chain: derivedKey(dataKey, 'audit chains'),
    index: derivedKey(dataKey, 'audit indexes'),
    service: derivedKey(dataKey, 'audit service'),
    data: dataKey,
    checkpointSeed: checkpointSeedOf(masterKey),
  }
}

export function checkpointSeedOf(masterKey: Uint8Array): Uint8Array {
  return derivedKey(masterKey, 'audit checkpoints')
}

export interface AuditKeysDeps {
  readonly config: MasterKeyConfig
  readonly random: Random
}

/**
 * Reads the keys of the audit log, also in the transaction that makes the key set.
 * @throws Error if there is no master key, or the master key does not open the data key
 */
export async function readAuditKeys(
  db: DatabaseOrTransaction,
  { config, random }: AuditKeysDeps,
): Promise<AuditKeys> {
  const stored = await keyStore(db).all() // newest first
  const key = stored.find(({ purpose, retiredAt }) => purpose === 'data' && retiredAt === null)
  if (!key) throw new Error('the database has no key of stored secrets')
  const ring = createMasterRing({ config, random, mayCreate: false })
  return auditKeysOf(ring.sealing([key]), ring.open(key))
}
