import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { verify as bcryptVerify } from '@node-rs/bcrypt'
import type { Config } from '../config.ts'
import type { Random } from '../kernel/random.ts'

/**
 * Password hashes. New ones are Argon2id; bcrypt and PBKDF2 hashes of imported accounts verify too
 * and are replaced at the next login. Spec 5.6.
 */
export type Argon2Cost = Pick<Config['password'], 'argon2MemoryKib' | 'argon2Passes'>

const saltBytes = 16
const hashBytes = 32
const lanes = 1
const shortestHashBytes = 16
// What bcrypt reads of a password; the rest would not count.
const bcryptMaxBytes = 72

const derive = promisify(pbkdf2)

/** An Argon2id hash as PHC string, with a salt of its own. RFC 9106. */
export function hashPassword(password: string, cost: Argon2Cost, random: Random): Promise<string> {
  // Argon2id is the library's default; its enum cannot be imported from type-stripped code.
  return argon2Hash(normalized(password), {
    memoryCost: cost.argon2MemoryKib,
    timeCost: cost.argon2Passes,
    parallelism: lanes,
    outputLen: hashBytes,
    salt: random.bytes(saltBytes),
  })
}

/**
 * Whether the password made the hash. A stored text that is no hash of a known kind verifies
 * nothing. @throws nothing
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const text = normalized(password)
  const matches = await matchesHash(text, stored).catch(() => false) // a malformed hash
  // A NUL pads a key of HMAC and ends a bcrypt password; a lone surrogate has no bytes of its own.
  return matches && text.isWellFormed() && !text.includes('\0')
}

async function matchesHash(text: string, stored: string): Promise<boolean> {
  if (/^\$argon2(id|i|d)\$/.test(stored)) return argon2Verify(stored, text)
  if (bcryptFormat.test(stored)) return verifyBcrypt(text, stored)
  if (stored.startsWith('$pbkdf2-')) return verifyPbkdf2(text, stored)
  return false
}

/** Whether a hash is not what `hashPassword` would make now, or costs less. */
export function isOutdated(stored: string, cost: Argon2Cost): boolean {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored)
  if (!match) return true
  const [memory = 0, passes = 0] = match.slice(1).map(Number)
  return memory < cost.argon2MemoryKib || passes < cost.argon2Passes
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
const pbkdf2Format =
  /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?([1-9][0-9]{0,8})(?:,l=[0-9]+)?\$([A-Za-z0-9+/._-]+=*)\$([A-Za-z0-9+/._-]+=*)$/

async function verifyPbkdf2(password: string, stored: string): Promise<boolean> {
  const [, algorithm, rounds, salt, expected] = pbkdf2Format.exec(stored) ?? []
  if (!algorithm || !rounds || !salt || !expected) return false
  const wanted = decode(expected)
  if (wanted.length < shortestHashBytes) return false // cut short, it would fit too many passwords
  const made = await derive(password, decode(salt), Number(rounds), wanted.length, algorithm)
  return timingSafeEqual(made, wanted)
}

/** Base64, base64url, or passlib's with a dot for the plus. */
function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
