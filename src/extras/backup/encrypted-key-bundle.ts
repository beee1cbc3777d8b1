import { createHmac, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { derivedKey, equalInConstantTime } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import { type Bytes, decryptedChunks, encryptedChunks } from './chunks.ts'
import type { FormatVersion } from './format.ts'

/** Encrypts and authenticates a backup by keys derived from a passphrase. */
export interface EncryptedKeyBundle {
  readonly salt: string
  /** Encrypts what its header keeps: in version 1 the key set, in version 2 all but the salt. */
  seal(random: Random, contents: unknown): string
  /** Decrypts it. @throws Error if another passphrase encrypted it */
  open(sealed: string): unknown
  /** Encrypts the body of version 2, which opens behind the same header line alone. */
  encrypted(body: Bytes, headerLine: string): Bytes
  /** @throws Error if the body was changed, as soon as its first changed chunk is read */
  decrypted(body: Bytes, headerLine: string): Bytes
  /** Computes the message authentication code of a digest. */
  macOf(digest: string): string
  isMacOf(digest: string, mac: string | undefined): boolean
}

export const saltBytes = 16

// OWASP Password Storage Cheat Sheet, scrypt: 32 MiB, three times. Part of both format versions.
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

/**
 * Derives the keys, which are of this salt alone, so of one file. It takes a tenth of a second, which
 * every guess at a passphrase costs too.
 */
export async function createEncryptedKeyBundle(
  passphrase: string,
  salt: string,
  version: FormatVersion,
): Promise<EncryptedKeyBundle> {
  // Another machine may encode the same typed letters by other code points.
  const text = passphrase.normalize('NFC')
  const derived = await derive(text, Buffer.from(salt, 'base64url'), 64, cost)
  const sealingKey = derived.subarray(0, 32)
  const macKey = derived.subarray(32)
  const chunkKey = derivedKey(sealingKey, 'backup chunks')
  const context = `gatehouse backup ${version}`
  const macOf = (digest: string) => createHmac('sha256', macKey).update(digest).digest('hex')

  return {
    salt,
    seal: (random, contents) =>
      seal(random, sealingKey, context, Buffer.from(JSON.stringify(contents))),
    open(sealed) {
      let plain: Buffer
      try {
        plain = unseal(sealingKey, context, sealed)
      } catch (cause) {
        throw new Error('the passphrase is wrong: it does not open the backup', { cause })
      }
      return JSON.parse(plain.toString())
    },
    encrypted: (body, headerLine) => encryptedChunks(chunkKey, headerLine, body),
    decrypted: (body, headerLine) => decryptedChunks(chunkKey, headerLine, body),
    macOf,
    isMacOf: (digest, mac) => equalInConstantTime(mac, macOf(digest)),
  }
}
