import { hash } from 'node:crypto'
import { isBreachedHash } from '../password-strength/breached/breached-list.ts'
import { allWords } from '../password-strength/words.ts'
import { isKnownSecretHash } from './known-secrets.ts'
import { publishedSecrets } from './signing-secret.ts'
import { assertVaried } from './varied.ts'

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const maxDigits = 4
/** Common suffixes of guessable secrets. */
const endings = ['', '1', '123', '1234', '!', '-secret', '_secret', 'secret', '-password']

/** SHA-256 as 64 lower-case hex digits. */
export interface HashedSecret {
  readonly hex: string
  /** Guessable secrets derive from the id. */
  readonly id: string
}

/** Cache: a reread file costs only its new hashes. */
const sound = new Set<string>()

/**
 * Returns reasons by hash. Tries about 70,000 texts in under 0.1 s: up to two characters, short
 * numbers, common words, published secrets, the shipped lists, and variants of the client's id.
 */
export function hashedSecretWeaknesses(given: readonly HashedSecret[]): Map<string, string> {
  const found = new Map<string, string>()
  const wanted = given.filter(({ hex }) => !sound.has(hex))
  if (wanted.length === 0) return found
  const tried = new Set(wanted.map(({ hex }) => hex))
  for (const hex of hashesOf(guesses())) {
    if (tried.has(hex)) found.set(hex, 'is the hash of a secret that is known or short')
  }
  for (const { hex, id } of wanted) {
    const ofName = endings.flatMap((ending) => [id + ending, id.toLowerCase() + ending])
    if ([...hashesOf(ofName)].includes(hex) || isKnownSecretHash(hex) || isBreachedHash(hex)) {
      found.set(hex, 'is the hash of a secret that is known or short')
    }
    if ([...hashesOf([''])].includes(hex)) found.set(hex, 'is the hash of an empty secret')
    if (!isVaried(hex)) found.set(hex, 'is no hash of a secret: its bytes repeat')
    if (!found.has(hex)) sound.add(hex)
  }
  return found
}

function* guesses(): Generator<string> {
  for (const first of printable) {
    yield first
    for (const second of printable) yield first + second
  }
  for (let digits = 3; digits <= maxDigits; digits += 1) {
    for (let number = 0; number < 10 ** digits; number += 1) {
      yield String(number).padStart(digits, '0')
    }
  }
  yield* allWords()
  yield* publishedSecrets
}

function* hashesOf(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield hash('sha256', text, 'hex')
}

function isVaried(hex: string): boolean {
  try {
    assertVaried(Buffer.from(hex, 'hex'))
    return true
  } catch {
    return false
  }
}
