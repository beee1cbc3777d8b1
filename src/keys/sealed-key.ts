import type { Random } from '../kernel/random.ts'
import { seal, unseal } from './seal.ts'
import type { SealedKey } from './store.ts'

type KeyIdentity = Pick<SealedKey, 'id' | 'purpose' | 'algorithm'>

/** Seals a key's material under the master key, for this key's row alone. */
export function sealKey(
  random: Random,
  masterKey: Uint8Array,
  key: KeyIdentity,
  material: Uint8Array,
): string {
  return seal(random, masterKey, contextOf(key), material)
}

/** The material of a stored key. @throws Error where the master key is another than sealed it */
export function openKey(masterKey: Uint8Array, key: SealedKey): Uint8Array {
  try {
    return unseal(masterKey, contextOf(key), key.sealed)
  } catch (cause) {
    throw new Error('the master key does not open the key set in the database', { cause })
  }
}

function contextOf({ id, purpose, algorithm }: KeyIdentity): string {
  return `${purpose}:${algorithm}:${id}`
}
