import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { hash as bcryptHash, verify as bcryptVerify } from '@node-rs/bcrypt'
import type { Config } from '../../core/config/load.ts'
import type { Random } from '../../core/crypto/random.ts'

/**
 * The settings of password hashes. New hashes are of the configured kind. Hashes of other kinds,
 * for example of imported accounts, verify too; the next login replaces them. Spec 5.6.
 */
export type HashSettings = Omit<Config['password'], 'minLength' | 'breachUrl' | 'hashesAtOnce'>

const saltBytes = 16
const maxVerifiedLength = 1024 // UTF-16 units
const hashBytes = 32
const lanes = 1
export const minHashBytes = 16
// bcrypt ignores the bytes of a password after these.
export const bcryptMaxBytes = 72

const derive = promisify(pbkdf2)

/**
 * Hashes a password, with the configured kind and cost and a random salt.
 * @throws Error if bcrypt would ignore a part of the password
 */
export async function hashPassword(
  password: string,
  settings: HashSettings,
  random: Random,
): Promise<string> {
  return makers[settings.hash](normalized(password), random.bytes(saltBytes), settings)
}

type Maker = (text: string, salt: Uint8Array, settings: HashSettings) => Promise<string>

const makers: Readonly<Record<HashSettings['hash'], Maker>> = {
  // Argon2id is the library's default; its enum cannot be imported from type-stripped code. RFC
  // 9106
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

/**
 * Whether a password matches a stored hash. No password matches a text that is no hash of a known
 * kind. Never throws.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  // No account has so long a password: it costs as much as any other wrong password, and not more.
  // To normalize a megabyte of combining marks would take minutes.
  const isTooLong = password.length > maxVerifiedLength
  const text = isTooLong ? '' : normalized(password)
  const matches = await matchesHash(text, stored).catch(() => false) // a malformed hash
  // Such texts could match a hash of another password: HMAC pads its key with NUL, bcrypt stops at
  // NUL, and UTF-8 replaces every lone surrogate by the same bytes.
  return matches && !isTooLong && text.isWellFormed() && !text.includes('\0')
}

async function matchesHash(text: string, stored: string): Promise<boolean> {
  if (/^\$argon2(id|i|d)\$/.test(stored)) return argon2Verify(stored, text)
  if (bcryptFormat.test(stored)) return verifyBcrypt(text, stored)
  if (stored.startsWith('$pbkdf2-')) return verifyPbkdf2(text, stored)
  return false
}

/** Whether a hash is of another kind, or of a lower cost, than `hashPassword` makes now. */
export function isOutdated(stored: string, settings: HashSettings): boolean {
  const { format, minCosts } = costs[settings.hash]
  const match = format.exec(stored)
  if (!match) return true
  return minCosts(settings).some((min, index) => !(Number(match[index + 1]) >= min))
}

/** The costs in the text of a hash of each kind, and their configured minimum. */
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

/** One form of a password that keyboards encode differently. NIST SP 800-63B-4. */
function normalized(password: string): string {
  return password.normalize('NFC')
}

const bcryptFormat = /^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/

async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const matches = await bcryptVerify(password, stored)
  return matches && Buffer.byteLength(password) <= bcryptMaxBytes // bcrypt ignored the rest
}

// $pbkdf2-sha256$i=600000$salt$hash, or the bare number of rounds, as passlib writes it.
export const pbkdf2Format =
  /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?([1-9][0-9]{0,8})(?:,l=[0-9]+)?\$([A-Za-z0-9+/._-]+=*)\$([A-Za-z0-9+/._-]+=*)$/

async function verifyPbkdf2(password: string, stored: string): Promise<boolean> {
  const [, algorithm, rounds, salt, expected] = pbkdf2Format.exec(stored) ?? []
  if (!algorithm || !rounds || !salt || !expected) return false
  const wanted = decode(expected)
  if (wanted.length < minHashBytes) return false // too many passwords match a truncated hash
  const made = await derive(password, decode(salt), Number(rounds), wanted.length, algorithm)
  return timingSafeEqual(made, wanted)
}

/** Encodes base64 without padding, as in PHC strings. */
function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

/** Decodes base64, base64url, or the base64 of passlib, which has a dot for the plus. */
export function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
