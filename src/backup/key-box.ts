import { createHmac, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { equalInConstantTime } from '../kernel/digest.ts'
import type { Random } from '../kernel/random.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { TravellingKey } from '../keys/travelling-keys.ts'

/** Encrypts the key set and authenticates the backup by keys derived from a passphrase. */
export interface KeyBox {
  readonly salt: string
  seal(random: Random, keys: readonly TravellingKey[]): string
  /** Decrypts a key set. @throws Error if another passphrase encrypted it */
  open(sealed: string): TravellingKey[]
  /** Computes the message authentication code of a digest. */
  macOf(digest: string): string
  isMacOf(digest: string, mac: string | undefined): boolean
}

export const saltBytes = 16
export const leastPassphrase = 12

// OWASP Password Storage Cheat Sheet, scrypt: 32 MiB, three times. Part of format version 1.
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const context = 'gatehouse backup 1'

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

/** Derives the keys. It takes a tenth of a second, which every guess at a passphrase costs too. */
export async function createKeyBox(passphrase: string, salt: string): Promise<KeyBox> {
  // Another machine may encode the same typed letters by other code points.
  const text = passphrase.normalize('NFC')
  const derived = await derive(text, Buffer.from(salt, 'base64url'), 64, cost)
  const sealingKey = derived.subarray(0, 32)
  const macKey = derived.subarray(32)
  const macOf = (digest: string) => createHmac('sha256', macKey).update(digest).digest('hex')

  return {
    salt,
    seal: (random, keys) => seal(random, sealingKey, context, Buffer.from(JSON.stringify(keys))),
    open(sealed) {
      try {
        return JSON.parse(unseal(sealingKey, context, sealed).toString())
      } catch (cause) {
        throw new Error('the passphrase is wrong: it does not open the keys', { cause })
      }
    },
    macOf,
    isMacOf: (digest, mac) => equalInConstantTime(mac, macOf(digest)),
  }
}
