import { createCipheriv, createHash, pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { md5Crypt } from './md5-crypt.ts'
import { decode, pbkdf2Format } from './password-formats.ts'

/**
 * A hash of another product that is fast, or of a kind that this service does not make. Only its
 * Argon2id hash is stored: wrapped-hash.ts.
 */
export interface ForeignHash {
  /** Scheme and costs, such as `scrypt,ln=14,r=8,p=1`; part of the kind of the stored hash. */
  readonly recipe: string
  readonly salt: Buffer
  readonly digest: Buffer
}

/** N x r x p: about a second of one core. */
const maxScryptWork = 2 ** 21
const maxScryptMemoryBytes = 128 * 1024 * 1024
const blockBytes = 128
/** PBKDF2 with fewer iterations counts as a fast hash. */
const minPbkdf2Iterations = 1000
const maxSaltBytes = 64
const digestBytes: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 }

/** Of a text that must be wrapped; undefined for another text. */
export function parseForeign(text: string): ForeignHash | undefined {
  const found = ofLdap(text) ?? ofMd5Crypt(text) ?? ofScrypt(text) ?? ofWeakPbkdf2(text)
  return found && found.salt.length <= maxSaltBytes ? found : undefined
}

const ldapFormat = /^\{(S?)(MD5|SHA|SHA256|SHA384|SHA512)\}([A-Za-z0-9+/]+=*)$/i

function ofLdap(text: string): ForeignHash | undefined {
  const [, salted, label = '', encoded = ''] = ldapFormat.exec(text) ?? []
  const name = label.toLowerCase()
  const scheme = name === 'sha' ? 'sha1' : name
  const length = digestBytes[scheme]
  const bytes = base64(encoded)
  if (!length || !bytes) return undefined
  const salt = bytes.subarray(length)
  if (bytes.length < length || salt.length > 0 !== (salted !== '')) return undefined
  return { recipe: scheme, salt, digest: bytes.subarray(0, length) }
}

const md5CryptFormat = /^\$1\$([./A-Za-z0-9]{0,8})\$([./A-Za-z0-9]{21}[./01])$/

function ofMd5Crypt(text: string): ForeignHash | undefined {
  const [, salt, digest] = md5CryptFormat.exec(text) ?? []
  if (salt === undefined || !digest) return undefined
  return { recipe: 'md5-crypt', salt: Buffer.from(salt), digest: Buffer.from(digest) }
}

// scrypt-nfkc: the password in Unicode's form NFKC. scrypt-key: the key stream of AES under a key
// that scrypt derives.
const scryptFormat =
  /^\$(scrypt|scrypt-nfkc|scrypt-key)\$(ln=[1-9]\d?,r=[1-9]\d?,p=[1-9]\d?)\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/

function ofScrypt(text: string): ForeignHash | undefined {
  const [, scheme, costs, salted = '', hash = ''] = scryptFormat.exec(text) ?? []
  const [salt, digest] = [base64(salted), base64(hash)]
  if (!scheme || !salt || !digest || digest.length < 16 || digest.length > 64) return undefined
  return { recipe: `${scheme},${costs}`, salt, digest }
}

function ofWeakPbkdf2(text: string): ForeignHash | undefined {
  const [, algorithm, rounds, salt = '', hash = ''] = pbkdf2Format.exec(text) ?? []
  if (!algorithm || Number(rounds) >= minPbkdf2Iterations) return undefined
  const digest = decode(hash)
  if (digest.length < 16 || digest.length > 64 || decode(salt).length === 0) return undefined
  return { recipe: `pbkdf2-${algorithm},i=${rounds}`, salt: decode(salt), digest }
}

/** For `details`: why the costs are too high. */
export function recipeRefusal(recipe: string): string | undefined {
  const costs = scryptCosts(recipe)
  if (!costs) return undefined
  const { N, r, p } = costs
  const isTooMuch = N * r * p > maxScryptWork || blockBytes * N * r > maxScryptMemoryBytes
  return isTooMuch ? `has too high a cost: N x r x p is ${maxScryptWork} at most` : undefined
}

const deriveScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt)
const derivePbkdf2 = promisify(pbkdf2)
const aesKeyBytes = 32

/** The digest that the other product would have made of the password. */
export async function digestOf(
  password: string,
  { recipe, salt, length }: { recipe: string; salt: Buffer; length: number },
): Promise<Buffer | undefined> {
  const [scheme = ''] = recipe.split(',')
  if (Object.hasOwn(digestBytes, scheme)) {
    return createHash(scheme).update(password).update(salt).digest()
  }
  if (scheme === 'md5-crypt') return Buffer.from(md5Crypt(Buffer.from(password), salt))
  const [, algorithm, rounds] = /^pbkdf2-(sha\d+),i=(\d+)$/.exec(recipe) ?? []
  if (algorithm) return derivePbkdf2(password, salt, Number(rounds), length, algorithm)
  const costs = scryptCosts(recipe)
  if (!costs || recipeRefusal(recipe) !== undefined) return undefined
  const options = { ...costs, maxmem: 2 * blockBytes * costs.N * costs.r + 1_048_576 }
  const text = scheme === 'scrypt-nfkc' ? password.normalize('NFKC') : password
  if (scheme !== 'scrypt-key') return deriveScrypt(text, salt, length, options)
  const key = await deriveScrypt(text, salt, aesKeyBytes, options)
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

function scryptCosts(recipe: string): { N: number; r: number; p: number } | undefined {
  const [, ln, r, p] = /^scrypt(?:-nfkc|-key)?,ln=(\d+),r=(\d+),p=(\d+)$/.exec(recipe) ?? []
  return ln === undefined ? undefined : { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
}

/** Undefined if the text is not canonical Base64, with or without padding. */
function base64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  const bare = text.replace(/=+$/, '')
  return bytes.toString('base64').replace(/=+$/, '') === bare && bare !== '' ? bytes : undefined
}
