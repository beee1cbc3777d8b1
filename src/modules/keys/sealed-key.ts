import type { Random } from '../../core/crypto/random.ts'
import { seal, unseal } from './seal.ts'
import { type SealedKey, storedPurpose } from './store.ts'

type KeyIdentity = Pick<SealedKey, 'id' | 'purpose' | 'algorithm'>

/** Seals the key material; the result opens only in the row of this key. */
export function sealKey(
  random: Random,
  masterKey: Uint8Array,
  key: KeyIdentity,
  material: Uint8Array,
): string {
  return seal(random, masterKey, contextOf(key), material)
}

/** @throws Error if another master key sealed the key */
export function unsealKey(masterKey: Uint8Array, key: SealedKey): Uint8Array {
  return unseal(masterKey, contextOf(key), key.sealed)
}

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
