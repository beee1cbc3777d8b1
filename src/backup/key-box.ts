import { createHmac, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { equalInConstantTime } from '../kernel/digest.ts'
import type { Random } from '../kernel/random.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { TravellingKey } from '../keys/travelling-keys.ts'

/** What a passphrase locks: the key set, and the backup as a whole against changes. */
export interface KeyBox {
  readonly salt: string
  seal(random: Random, keys: readonly TravellingKey[]): string
  /** @throws Error where another passphrase sealed it */
  open(sealed: string): TravellingKey[]
  /** What nobody can make without the passphrase. */
  macOf(digest: string): string
  isMacOf(digest: string, mac: string | undefined): boolean
}

export const saltBytes = 16
export const leastPassphrase = 12

// OWASP Password Storage Cheat Sheet, scrypt: 32 MiB, three times. Part of format version 1.
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const context = 'gatehouse backup 1'

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

/** Takes a tenth of a second: whoever guesses at a passphrase pays it for each guess. */
export async function createKeyBox(passphrase: string, salt: string): Promise<KeyBox> {
  // The same letters may be typed in other code points on another machine.
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
