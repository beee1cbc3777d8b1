import { parseForeign, recipeRefusal } from './foreign-hash.ts'
import type { HashSettings } from './hash-settings.ts'
import { minHashBytes } from './password.ts'
import { decode, pbkdf2Format } from './password-formats.ts'
import { isWrapped, parseWrapped } from './wrapped-hash.ts'

/**
 * Cap one login with an imported hash at about a second of one core. Higher settings of the service
 * raise the limits. docs/import.md
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

const maxHashBytes = 64
const minBcryptCost = 4
const minSaltBytes = 8

const unknown = 'must be a bcrypt, Argon2 or PBKDF2 hash in the form that this service verifies'
const tooCostly = (what: string, max: number) => `has too high ${what}: ${max} at most`

/**
 * For `details`: why no password could match, or verification costs too much. Undefined if
 * accepted.
 */
export function hashRefusal(text: string, settings: HashSettings): string | undefined {
  if (text.length > 512) return unknown
  if (text.startsWith('$argon2')) return argon2Refusal(text, settings)
  if (text.startsWith('$2')) return bcryptRefusal(text, settings)
  if (isWrapped(text)) return wrappedRefusal(text, settings)
  return pbkdf2Refusal(text, settings)
}

/** Of the export of another product: also kinds that are stored only under Argon2id. */
export function foreignHashRefusal(text: string, settings: HashSettings): string | undefined {
  const foreign = text.length > 512 ? undefined : parseForeign(text)
  return foreign ? recipeRefusal(foreign.recipe) : hashRefusal(text, settings)
}

/** Of an export of ours. */
function wrappedRefusal(text: string, settings: HashSettings): string | undefined {
  const wrapped = parseWrapped(text)
  if (!wrapped) return unknown
  return recipeRefusal(wrapped.recipe) ?? argon2Refusal(wrapped.outer, settings)
}

// The version is required: library defaults differ.
const argon2Format =
  /^\$argon2(?:id|i|d)\$v=(?:16|19)\$m=([1-9]\d{0,8}),t=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function argon2Refusal(text: string, settings: HashSettings): string | undefined {
  const [, m, t, p, salt = '', hash = ''] = argon2Format.exec(text) ?? []
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (!isCanonical(salt, minSaltBytes) || !isCanonical(hash, minHashBytes)) return unknown
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

// The trailing bits of salt and hash must be zero.
const bcryptFormat =
  /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/

function bcryptRefusal(text: string, settings: HashSettings): string | undefined {
  const [, digits] = bcryptFormat.exec(text) ?? []
  const cost = Number(digits)
  if (!(cost >= minBcryptCost && cost <= 31)) return unknown
  const maxCost = Math.max(hashLimits.bcryptCost, settings.bcryptCost)
  return cost > maxCost ? tooCostly('a cost', maxCost) : undefined
}

function pbkdf2Refusal(text: string, settings: HashSettings): string | undefined {
  const [, algorithm, rounds, salt = '', hash = ''] = pbkdf2Format.exec(text) ?? []
  const bytes = decode(hash).length
  // Longer hashes need several blocks, each with all iterations.
  if (!algorithm || bytes < minHashBytes || bytes > maxHashBytes) return unknown
  if (decode(salt).length === 0) return unknown
  const maxIterations = Math.max(hashLimits.pbkdf2Iterations, settings.pbkdf2Iterations)
  const isTooCostly = Number(rounds) > maxIterations
  return isTooCostly ? tooCostly('a number of iterations', maxIterations) : undefined
}

/** Base64 without padding and spare bits, of an accepted length. */
function isCanonical(text: string, minBytes: number): boolean {
  const bytes = Buffer.from(text, 'base64')
  return (
    bytes.length >= minBytes &&
    bytes.length <= maxHashBytes &&
    bytes.toString('base64').replaceAll('=', '') === text
  )
}
