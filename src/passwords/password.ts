import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { hash as bcryptHash, verify as bcryptVerify } from '@node-rs/bcrypt'
import type { Config } from '../config/load.ts'
import type { Random } from '../kernel/random.ts'

/**
 * Password hashes. New ones are of the configured kind; those of the other kinds, of imported
 * accounts perhaps, verify too and are replaced at the next login. Spec 5.6.
 */
export type HashSettings = Omit<Config['password'], 'minLength' | 'breachUrl'>

const saltBytes = 16
const longestVerified = 1024 // UTF-16 units
const hashBytes = 32
const lanes = 1
export const shortestHashBytes = 16
// What bcrypt reads of a password; the rest would not count.
export const bcryptMaxBytes = 72

const derive = promisify(pbkdf2)

/**
 * A hash of the configured kind and cost, with a salt of its own.
 * @throws Error where bcrypt would not read the whole password
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
  // Argon2id is the library's default; its enum cannot be imported from type-stripped code. RFC 9106
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
 * Whether the password made the hash. A stored text that is no hash of a known kind verifies
 * nothing. @throws nothing
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  // Too long to be anyone's: it costs the same as any other wrong one, and no more. Normalizing a
  // megabyte of combining marks would take minutes.
  const isTooLong = password.length > longestVerified
  const text = isTooLong ? '' : normalized(password)
  const matches = await matchesHash(text, stored).catch(() => false) // a malformed hash
  // A NUL pads a key of HMAC and ends a bcrypt password; a lone surrogate has no bytes of its own.
  return matches && !isTooLong && text.isWellFormed() && !text.includes('\0')
}

async function matchesHash(text: string, stored: string): Promise<boolean> {
  if (/^\$argon2(id|i|d)\$/.test(stored)) return argon2Verify(stored, text)
  if (bcryptFormat.test(stored)) return verifyBcrypt(text, stored)
  if (stored.startsWith('$pbkdf2-')) return verifyPbkdf2(text, stored)
  return false
}

/** Whether a hash is of another kind than `hashPassword` would make now, or costs less. */
export function isOutdated(stored: string, settings: HashSettings): boolean {
  const { format, least } = costs[settings.hash]
  const match = format.exec(stored)
  if (!match) return true
  return least(settings).some((least, index) => !(Number(match[index + 1]) >= least))
}

/** Where a hash of each kind tells its costs, and what they are to be at least. */
const costs: Readonly<
  Record<HashSettings['hash'], { format: RegExp; least: (settings: HashSettings) => number[] }>
> = {
  argon2id: {
    format: /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/,
    least: ({ argon2MemoryKib, argon2Passes }) => [argon2MemoryKib, argon2Passes],
  },
  bcrypt: {
    format: /^\$2[aby]\$(\d\d)\$/,
    least: ({ bcryptCost }) => [bcryptCost],
  },
  pbkdf2: {
    format: /^\$pbkdf2-sha(?:256|512)\$(?:i=)?(\d+)[,$]/,
    least: ({ pbkdf2Iterations }) => [pbkdf2Iterations],
  },
}

/** One form for a password that keyboards spell differently. NIST SP 800-63B-4. */
function normalized(password: string): string {
  return password.normalize('NFC')
}

const bcryptFormat = /^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/

async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const matches = await bcryptVerify(password, stored)
  return matches && Buffer.byteLength(password) <= bcryptMaxBytes // what lies behind must count
}

// $pbkdf2-sha256$i=600000$salt$hash, or the rounds alone as passlib writes them.
export const pbkdf2Format =
  /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?([1-9][0-9]{0,8})(?:,l=[0-9]+)?\$([A-Za-z0-9+/._-]+=*)\$([A-Za-z0-9+/._-]+=*)$/

async function verifyPbkdf2(password: string, stored: string): Promise<boolean> {
  const [, algorithm, rounds, salt, expected] = pbkdf2Format.exec(stored) ?? []
  if (!algorithm || !rounds || !salt || !expected) return false
  const wanted = decode(expected)
  if (wanted.length < shortestHashBytes) return false // cut short, it would fit too many passwords
  const made = await derive(password, decode(salt), Number(rounds), wanted.length, algorithm)
  return timingSafeEqual(made, wanted)
}

/** Base64 without padding, as PHC strings have it. */
function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

/** Base64, base64url, or passlib's with a dot for the plus. */
export function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
