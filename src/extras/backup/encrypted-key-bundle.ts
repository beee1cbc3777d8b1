import { createHmac, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { derivedKey, equalInConstantTime } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import { type Bytes, decryptedChunks, encryptedChunks } from './chunks.ts'
import type { FormatVersion } from './format.ts'

/** Encrypts and authenticates a backup with passphrase-derived keys. */
export interface EncryptedKeyBundle {
  readonly salt: string
  /** Encrypts the header contents: version 1: the key set; version 2: everything but the salt. */
  seal(random: Random, contents: unknown): string
  /** @throws Error for a wrong passphrase */
  open(sealed: string): unknown
  /** Encrypts the version 2 body, bound to its header line. */
  encrypted(body: Bytes, headerLine: string): Bytes
  /** @throws Error at the first changed chunk */
  decrypted(body: Bytes, headerLine: string): Bytes
  macOf(digest: string): string
  isMacOf(digest: string, mac: string | undefined): boolean
}

export const saltBytes = 16

// OWASP Password Storage Cheat Sheet, scrypt: 32 MiB, three times. Part of both formats.
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt)

/** The salt makes the keys unique per file. Takes 0.1 s, also per guess. */
export async function createEncryptedKeyBundle(
  passphrase: string,
  salt: string,
  version: FormatVersion,
): Promise<EncryptedKeyBundle> {
  // Another machine may encode the same letters differently.
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
