import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import type { Random } from '../../core/crypto/random.ts'
import { digestOf, type ForeignHash, recipeRefusal } from './foreign-hash.ts'
import type { HashSettings } from './hash-settings.ts'

/**
 * Argon2id over the hash of another product, until the first login replaces it: no fast hash is
 * ever stored. The parts before the salts determine the cost, as in all kinds: hash-kinds.ts.
 * docs/adr/0104
 */
interface WrappedHash {
  readonly recipe: string
  readonly salt: Buffer
  /** Bytes of the digest of the other product. */
  readonly length: number
  /** A PHC string, of that digest in Base64. */
  readonly outer: string
}

const saltBytes = 16
const hashBytes = 32

// $wrapped$RECIPE,b=BYTES$v=19$m=19456,t=2,p=1$SALT$FOREIGN_SALT.HASH
const format =
  /^\$wrapped\$([a-z0-9-]+(?:,[a-z]+=[1-9]\d{0,8})*),b=([1-9]\d)\$(v=19\$m=\d{1,9},t=\d{1,9},p=\d{1,9}\$[A-Za-z0-9+/]+)\$([A-Za-z0-9+/]*)\.([A-Za-z0-9+/]+)$/

export function isWrapped(text: string): boolean {
  return text.startsWith('$wrapped$')
}

export async function wrapHash(
  { recipe, salt, digest }: ForeignHash,
  { argon2MemoryKib, argon2Passes }: HashSettings,
  random: Random,
): Promise<string> {
  const made = await argon2Hash(textOf(digest), {
    memoryCost: argon2MemoryKib,
    timeCost: argon2Passes,
    parallelism: 1,
    outputLen: hashBytes,
    salt: random.bytes(saltBytes),
  })
  const [, , version, costs, outerSalt, hash] = made.split('$')
  const inner = salt.toString('base64').replaceAll('=', '')
  return `$wrapped$${recipe},b=${digest.length}$${version}$${costs}$${outerSalt}$${inner}.${hash}`
}

export function parseWrapped(stored: string): WrappedHash | undefined {
  const [, recipe, length, outer, salt, hash] = format.exec(stored) ?? []
  if (recipe === undefined || salt === undefined) return undefined
  return {
    recipe,
    salt: Buffer.from(salt, 'base64'),
    length: Number(length),
    outer: `$argon2id$${outer}$${hash}`,
  }
}

export async function verifyWrapped(password: string, stored: string): Promise<boolean> {
  const wrapped = parseWrapped(stored)
  if (!wrapped || recipeRefusal(wrapped.recipe) !== undefined) return false
  const digest = await digestOf(password, wrapped)
  return digest !== undefined && argon2Verify(wrapped.outer, textOf(digest))
}

/** The library verifies texts alone. */
function textOf(digest: Buffer): string {
  return digest.toString('base64')
}
