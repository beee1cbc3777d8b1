import { decode, type HashSettings, pbkdf2Format, shortestHashBytes } from './password.ts'

/**
 * What an import may bring. Each limit lets one login take about a second of one core at most; a
 * service that is set to spend more itself takes as much from others. docs/import.md
 */
const hashLimits = {
  bcryptCost: 14,
  argon2MemoryKib: 262_144,
  argon2Passes: 64,
  argon2Lanes: 16,
  /** Memory times passes, in KiB. */
  argon2Work: 1_048_576,
  pbkdf2Iterations: 2_000_000,
} as const

const longestHashBytes = 64
const leastBcryptCost = 4
const leastSaltBytes = 8

const unknown = 'must be a bcrypt, Argon2 or PBKDF2 hash in the form that this service verifies'
const tooCostly = (what: string, most: number) => `has too high ${what}: ${most} at most`

/**
 * Why a hash of another system cannot be taken, in the words of `details`: no password would ever
 * verify against it, or a login with it would cost too much. Undefined where it can.
 */
export function hashRefusal(text: string, settings: HashSettings): string | undefined {
  if (text.length > 512) return unknown
  if (text.startsWith('$argon2')) return argon2Refusal(text, settings)
  if (text.startsWith('$2')) return bcryptRefusal(text, settings)
  return pbkdf2Refusal(text, settings)
}

// The version is required: without it libraries take one or the other.
const argon2Format =
  /^\$argon2(?:id|i|d)\$v=(?:16|19)\$m=([1-9]\d{0,8}),t=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function argon2Refusal(text: string, settings: HashSettings): string | undefined {
  const [, m, t, p, salt = '', hash = ''] = argon2Format.exec(text) ?? []
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (!isCanonical(salt, leastSaltBytes) || !isCanonical(hash, shortestHashBytes)) return unknown
  if (memory < 8 * lanes) return unknown // RFC 9106 section 3.1
  const maxMemory = Math.max(hashLimits.argon2MemoryKib, settings.argon2MemoryKib)
  const maxPasses = Math.max(hashLimits.argon2Passes, settings.argon2Passes)
  const maxWork = Math.max(hashLimits.argon2Work, settings.argon2MemoryKib * settings.argon2Passes)
  if (memory > maxMemory) return tooCostly('a memory cost (m)', maxMemory)
  if (passes > maxPasses) return tooCostly('a number of passes (t)', maxPasses)
  if (lanes > hashLimits.argon2Lanes) return tooCostly('a parallelism (p)', hashLimits.argon2Lanes)
  if (memory * passes > maxWork) return tooCostly('a product of memory and passes', maxWork)
  return undefined
}

// Salt and hash end in bits that must be zero: the last character of each is one of few.
const bcryptFormat =
  /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/

function bcryptRefusal(text: string, settings: HashSettings): string | undefined {
  const [, digits] = bcryptFormat.exec(text) ?? []
  const cost = Number(digits)
  if (!(cost >= leastBcryptCost && cost <= 31)) return unknown
  const most = Math.max(hashLimits.bcryptCost, settings.bcryptCost)
  return cost > most ? tooCostly('a cost', most) : undefined
}

function pbkdf2Refusal(text: string, settings: HashSettings): string | undefined {
  const [, algorithm, rounds, salt = '', hash = ''] = pbkdf2Format.exec(text) ?? []
  const bytes = decode(hash).length
  // A longer hash is derived in several blocks, each of which costs all iterations.
  if (!algorithm || bytes < shortestHashBytes || bytes > longestHashBytes) return unknown
  if (decode(salt).length === 0) return unknown
  const most = Math.max(hashLimits.pbkdf2Iterations, settings.pbkdf2Iterations)
  return Number(rounds) > most ? tooCostly('a number of iterations', most) : undefined
}

/** Base64 without padding, of a length that is taken, whose last bits are zero. */
function isCanonical(text: string, leastBytes: number): boolean {
  const bytes = Buffer.from(text, 'base64')
  return (
    bytes.length >= leastBytes &&
    bytes.length <= longestHashBytes &&
    bytes.toString('base64').replaceAll('=', '') === text
  )
}
