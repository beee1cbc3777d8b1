import type { Random } from '../../core/crypto/random.ts'
import { seal, unseal } from './seal.ts'
import { type SealedKey, storedPurpose } from './store.ts'

type KeyIdentity = Pick<SealedKey, 'id' | 'purpose' | 'algorithm'>

/** Seals a key's material under the master key; the result opens only in the row of this key. */
export function sealKey(
  random: Random,
  masterKey: Uint8Array,
  key: KeyIdentity,
  material: Uint8Array,
): string {
  return seal(random, masterKey, contextOf(key), material)
}

/** Opens the material of a stored key. @throws Error if another master key has sealed it */
export function unsealKey(masterKey: Uint8Array, key: SealedKey): Uint8Array {
  return unseal(masterKey, contextOf(key), key.sealed)
}

/** Whether a master key has sealed a stored key. */
export function opens(masterKey: Uint8Array, key: SealedKey): boolean {
  try {
    unsealKey(masterKey, key)
    return true
  } catch {
    return false
  }
}

function contextOf({ id, purpose, algorithm }: KeyIdentity): string {
  return `${storedPurpose(purpose)}:${algorithm}:${id}`
}
