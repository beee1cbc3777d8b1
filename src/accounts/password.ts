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
  try {
    if (
      stored.startsWith('$argon2id$') ||
      stored.startsWith('$argon2i$') ||
      stored.startsWith('$argon2d$')
    ) {
      return await argon2Verify(stored, text)
    }
    if (/^\$2[aby]\$/.test(stored)) return await verifyBcrypt(text, stored)
    if (stored.startsWith('$pbkdf2-')) return await verifyPbkdf2(text, stored)
  } catch {
    // malformed hash
  }
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

async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  const matches = await bcryptVerify(password, stored)
  // bcrypt stops at 72 bytes and at a NUL: what lies behind must not be ignored.
  return matches && Buffer.byteLength(password) <= bcryptMaxBytes && !password.includes('\0')
}

// $pbkdf2-sha256$i=600000$salt$hash, or the rounds alone as passlib writes them.
const pbkdf2Format =
  /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?([1-9][0-9]{0,8})(?:,l=[0-9]+)?\$([A-Za-z0-9+/._-]+=*)\$([A-Za-z0-9+/._-]+=*)$/

async function verifyPbkdf2(password: string, stored: string): Promise<boolean> {
  const [, algorithm, rounds, salt, expected] = pbkdf2Format.exec(stored) ?? []
  if (!algorithm || !rounds || !salt || !expected) return false
  const wanted = decode(expected)
  const made = await derive(password, decode(salt), Number(rounds), wanted.length, algorithm)
  return timingSafeEqual(made, wanted)
}

/** Base64, base64url, or passlib's with a dot for the plus. */
function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
