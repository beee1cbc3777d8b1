import type { Config } from '../config/load.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Random } from '../kernel/random.ts'
import { loadMasterKey } from './master-key.ts'
import { openKey, sealKey } from './sealed-key.ts'
import { keyStore, type SealedKey } from './store.ts'

/** A key of an archive or a move: its material is not sealed, as base64url. */
export interface TravellingKey extends Omit<SealedKey, 'sealed'> {
  readonly material: string
}

export interface KeyTravelDeps {
  readonly config: Pick<Config, 'masterKey' | 'database'>
  readonly random: Random
}

/** Opens every key of a database. @throws Error if the master key does not open them */
export async function exportKeys(
  db: DatabaseOrTransaction,
  deps: KeyTravelDeps,
): Promise<TravellingKey[]> {
  const masterKey = loadMasterKey({ ...deps, mayCreate: false })
  const keys = await keyStore(db).all()
  return keys.map(({ sealed, ...key }) => ({
    ...key,
    material: Buffer.from(openKey(masterKey, { ...key, sealed })).toString('base64url'),
  }))
}

/** Seals keys under the master key of this service, and creates that key if it is missing. */
export async function importKeys(
  db: DatabaseOrTransaction,
  deps: KeyTravelDeps,
  keys: readonly TravellingKey[],
): Promise<void> {
  const masterKey = loadMasterKey({ ...deps, mayCreate: true })
  for (const { material, ...key } of keys) {
    const sealed = sealKey(deps.random, masterKey, key, Buffer.from(material, 'base64url'))
    await keyStore(db).insert({ ...key, sealed })
  }
}
