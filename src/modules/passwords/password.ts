import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { hash as bcryptHash, verify as bcryptVerify } from '@node-rs/bcrypt'
import type { Random } from '../../core/crypto/random.ts'
import type { HashSettings } from './hash-settings.ts'
import { decode, pbkdf2Format } from './password-formats.ts'
import { isWrapped, verifyWrapped } from './wrapped-hash.ts'

const saltBytes = 16
const maxVerifiedLength = 1024 // UTF-16 units
const hashBytes = 32
const lanes = 1
export const minHashBytes = 16
// bcrypt ignores further bytes.
export const bcryptMaxBytes = 72

const derive = promisify(pbkdf2)

/** @throws Error if bcrypt would truncate the password */
export async function hashPassword(
  password: string,
  settings: HashSettings,
  random: Random,
): Promise<string> {
  return makers[settings.hash](normalized(password), random.bytes(saltBytes), settings)
}

type Maker = (text: string, salt: Uint8Array, settings: HashSettings) => Promise<string>

const makers: Readonly<Record<HashSettings['hash'], Maker>> = {
  // Argon2id is the default; type-stripped code cannot import the enum. RFC 9106
  argon2id: (text, salt, { argon2MemoryKib, argon2Passes }) =>
    argon2Hash(text, {
      memoryCost: argon2MemoryKib,
      timeCost: argon2Passes,
      parallelism: lanes,
      outputLen: hashBytes,
      salt,
    }),

  bcrypt: (text, salt, { bcryptCost }) => {
    if (Buffer.byteLength(text) > bcryptMaxBytes) throw new Error('too long for bcrypt')
    return bcryptHash(text, bcryptCost, salt)
  },

  pbkdf2: async (text, salt, { pbkdf2Iterations }) => {
    const made = await derive(text, salt, pbkdf2Iterations, hashBytes, 'sha256')
    return `$pbkdf2-sha256$i=${pbkdf2Iterations}$${encode(salt)}$${encode(made)}`
  },
}

/** False for unknown kinds of hashes. Never throws. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  // No account has such a password: costs as much as any wrong password. Normalizing a megabyte of
  // combining marks would take minutes.
  const isTooLong = password.length > maxVerifiedLength
  const text = isTooLong ? '' : normalized(password)
  const matches = await matchesHash(text, stored).catch(() => false) // a malformed hash
  // Could match another password: HMAC pads with NUL, bcrypt stops at NUL, UTF-8 maps all lone
  // surrogates to the same bytes.
  return matches && !isTooLong && text.isWellFormed() && !text.includes('\0')
}

async function matchesHash(text: string, stored: string): Promise<boolean> {
  if (/^\$argon2(id|i|d)\$/.test(stored)) return argon2Verify(stored, text)
  if (bcryptFormat.test(stored)) return verifyBcrypt(text, stored)
  if (stored.startsWith('$pbkdf2-')) return verifyPbkdf2(text, stored)
  if (isWrapped(stored)) return verifyWrapped(text, stored)
  return false
}

/** Another kind or lower cost than `hashPassword` uses. */
export function isOutdated(stored: string, settings: HashSettings): boolean {
  const { format, minCosts } = costs[settings.hash]
  const match = format.exec(stored)
  if (!match) return true
  return minCosts(settings).some((min, index) => !(Number(match[index + 1]) >= min))
}

/** Costs in the hash text, and configured minimums. */
const costs: Readonly<
  Record<HashSettings['hash'], { format: RegExp; minCosts: (settings: HashSettings) => number[] }>
> = {
  argon2id: {
    format: /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/,
    minCosts: ({ argon2MemoryKib, argon2Passes }) => [argon2MemoryKib, argon2Passes],
  },
  bcrypt: {
    format: /^\$2[aby]\$(\d\d)\$/,
    minCosts: ({ bcryptCost }) => [bcryptCost],
  },
  pbkdf2: {
    format: /^\$pbkdf2-sha(?:256|512)\$(?:i=)?(\d+)[,$]/,
    minCosts: ({ pbkdf2Iterations }) => [pbkdf2Iterations],
  },
}

/** Keyboards encode the same characters differently. NIST SP 800-63B-4. */
function normalized(password: string): string {
  return password.normalize('NFC')
}

const bcryptFormat = /^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/

async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const matches = await bcryptVerify(password, stored)
  return matches && Buffer.byteLength(password) <= bcryptMaxBytes // bcrypt ignored the rest
}

async function verifyPbkdf2(password: string, stored: string): Promise<boolean> {
  const [, algorithm, rounds, salt, expected] = pbkdf2Format.exec(stored) ?? []
  if (!algorithm || !rounds || !salt || !expected) return false
  const wanted = decode(expected)
  if (wanted.length < minHashBytes) return false // too many passwords match a truncated hash
  const made = await derive(password, decode(salt), Number(rounds), wanted.length, algorithm)
  return timingSafeEqual(made, wanted)
}

/** Unpadded, as in PHC strings. */
function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
