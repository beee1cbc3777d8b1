import type { Config } from '../../core/config/load.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { loadMasterKey, type MasterKeyConfig } from './master-key.ts'
import { createMasterRing } from './master-ring.ts'
import { dataKeyAlgorithm, dataKeyBytes, newKeyId } from './new-keys.ts'
import { sealKey } from './sealed-key.ts'
import { generateMaterial, rsaBitsOf, type SigningAlgorithm } from './signing-key.ts'
import { keyStore, type SealedKey } from './store.ts'

/** A key of an archive. `material` is base64url and not sealed. */
export interface ExportedKey
  extends Omit<SealedKey, 'sealed' | 'signsFrom' | 'isOlder'>,
    Partial<Pick<SealedKey, 'signsFrom' | 'isOlder'>> {
  readonly material: string
}

/** Version 0.2.0 wrote neither field. */
export function asSealedKey({ material: _, ...key }: ExportedKey): Omit<SealedKey, 'sealed'> {
  return { signsFrom: null, isOlder: true, ...key }
}

export interface KeyExportDeps {
  readonly config: MasterKeyConfig
  readonly random: Random
}

/** Opens every stored key. @throws Error if the master key does not open a key */
export async function exportKeys(
  db: DatabaseOrTransaction,
  deps: KeyExportDeps,
): Promise<ExportedKey[]> {
  const ring = createMasterRing({ ...deps, mayCreate: false })
  const keys = await keyStore(db).all()
  return keys.map(({ sealed, ...key }) => ({
    ...key,
    material: Buffer.from(ring.open({ ...key, sealed })).toString('base64url'),
  }))
}

/** Seals keys under the master key of this service; creates the master key if it is missing. */
export async function importKeys(
  db: DatabaseOrTransaction,
  deps: KeyExportDeps,
  keys: readonly ExportedKey[],
): Promise<void> {
  const masterKey = loadMasterKey({ ...deps, mayCreate: true })
  for (const exported of keys) {
    const key = asSealedKey(exported)
    const material = Buffer.from(exported.material, 'base64url')
    await keyStore(db).insert({ ...key, sealed: sealKey(deps.random, masterKey, key, material) })
  }
}

export function newDataKey({
  clock,
  random,
}: Pick<KeyExportDeps, 'random'> & { clock: Clock }): ExportedKey {
  return {
    id: newKeyId(random),
    purpose: 'data',
    algorithm: dataKeyAlgorithm,
    createdAt: clock.now(),
    retiredAt: null,
    signsFrom: null,
    isOlder: false,
    material: Buffer.from(random.bytes(dataKeyBytes)).toString('base64url'),
  }
}

/** Generates a signing key with the algorithm of the source, and at least its length. */
export async function signingKeyInPlaceOf(
  left: readonly ExportedKey[],
  algorithm: SigningAlgorithm,
  {
    config,
    clock,
    random,
  }: Pick<KeyExportDeps, 'random'> & { config: Pick<Config, 'token'>; clock: Clock },
): Promise<ExportedKey> {
  const bits = left
    .filter(({ purpose, algorithm: name }) => purpose === 'signing' && name === 'RS256')
    .map(({ material }) => rsaBitsOf(Buffer.from(material, 'base64url')))
  const rsaBits = Math.max(config.token.rsaBits, ...bits)
  const material = await generateMaterial(algorithm, random, rsaBits)
  return {
    id: newKeyId(random),
    purpose: 'signing',
    algorithm,
    createdAt: clock.now(),
    retiredAt: null,
    signsFrom: null,
    isOlder: false,
    material: Buffer.from(material).toString('base64url'),
  }
}
