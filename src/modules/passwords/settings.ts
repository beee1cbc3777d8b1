import { isLoopback } from '../../core/addresses/loopback.ts'
import { integer, oneOf, optional, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { hashesAtOnce, hashingMistakes, hashingWarnings } from './hashing-memory.ts'

export const settings = {
  HASHING_MEMORY_MIB: optional({
    shown: 'two hashes',
    doc: 'Memory for the password hashes that are computed at a time, each of PASSWORD_ARGON2_MEMORY_KIB; a login waits while all of it is in use. 57 MiB hold three hashes, which on two cores let a tenth more logins through; for more than three, set UV_THREADPOOL_SIZE to one more than their number. MiB.',
    parse: integer({ doc: '', default: 38, min: 19, max: 1_048_576 }).parse,
  }),
  PASSWORD_HASH: oneOf({
    default: 'argon2id',
    values: ['argon2id', 'bcrypt', 'pbkdf2'],
    doc: 'Kind of new password hashes. All kinds verify; a hash of another kind or of lower cost is replaced at the next login. bcrypt refuses passwords of more than 72 bytes.',
  }),
  PASSWORD_MIN_LENGTH: integer({
    default: 12,
    min: 12,
    max: 128,
    doc: 'Minimum length of a new password, in code points.',
  }),
  PASSWORD_ARGON2_MEMORY_KIB: integer({
    default: 19_456,
    min: 19_456,
    max: 4_194_304,
    doc: 'Memory of one Argon2id hash. KiB.',
  }),
  PASSWORD_ARGON2_PASSES: integer({
    default: 2,
    min: 2,
    max: 100,
    doc: 'Passes of one Argon2id hash.',
  }),
  PASSWORD_BCRYPT_COST: integer({
    default: 12,
    min: 12,
    max: 31,
    doc: 'Cost of one bcrypt hash: each step doubles the work.',
  }),
  PASSWORD_PBKDF2_ITERATIONS: integer({
    default: 600_000,
    min: 100_000,
    max: 999_999_999,
    doc: 'Iterations of one PBKDF2-SHA-256 hash.',
  }),
  PASSWORD_BREACH_URL: optional({
    doc: 'A service of breached passwords with range queries, for instance `https://api.pwnedpasswords.com/range`: only five hex digits of the SHA-1 are sent. If it does not answer, the password is accepted.',
    parse: parseBreachUrl,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ env, values }: Reading) {
  const hashing = {
    memoryMib: values.HASHING_MEMORY_MIB,
    argon2MemoryKib: values.PASSWORD_ARGON2_MEMORY_KIB,
    poolSize: env.UV_THREADPOOL_SIZE,
  }
  return {
    config: {
      password: {
        minLength: values.PASSWORD_MIN_LENGTH,
        hash: values.PASSWORD_HASH,
        argon2MemoryKib: values.PASSWORD_ARGON2_MEMORY_KIB,
        argon2Passes: values.PASSWORD_ARGON2_PASSES,
        bcryptCost: values.PASSWORD_BCRYPT_COST,
        pbkdf2Iterations: values.PASSWORD_PBKDF2_ITERATIONS,
        hashesAtOnce: hashesAtOnce(hashing),
        breachUrl: values.PASSWORD_BREACH_URL,
      },
    },
    mistakes: hashingMistakes(hashing),
    warnings: hashingWarnings(hashing),
  }
}

function parseBreachUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const { protocol, hostname, username, password, search, hash } = url ?? {}
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname ?? ''))
  if (!url || !safe || username || password || search || hash) {
    throw new Error('must be an https address (or http on loopback) without credentials or a query')
  }
  return url.href.replace(/\/+$/, '')
}
