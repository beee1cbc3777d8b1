import { createHash } from 'node:crypto'

/** Secrets of a run, which must not appear in other places. */
export interface Canaries {
  /** A password of its own for a number, which the rules of passwords accept. */
  password(number: number): string
  /** A secret that no later answer may contain. */
  add(secret: string): void
  /** A secret that only answers may contain, and no error, log or database. */
  addToken(token: string): void
  /** A secret that the database may contain, and no log. */
  addTold(token: string): void
  /** A code of six digits: looked for as a whole value. */
  addCode(code: string): void
  /** The secrets in a text, cut short. */
  within(text: string, where: Where): string[]
  isCode(value: unknown): boolean
}

/** A success may tell a token again, and the database has what its tables are for. */
export type Where = 'success' | 'error' | 'log' | 'database'

const passwords = /cnry[0-9a-f]{20}/g
const runs = [/[\w-]{16,}/g, /[A-Za-z0-9+/=]{16,}/g]
const hashes = /\$argon2(?:id|i|d)\$v=|\$2[aby]\$\d\d\$[./\w]{53}|\$pbkdf2-/
const minLength = 16

export function createCanaries(seed: number): Canaries {
  const secrets = new Set<string>()
  const tokens = new Set<string>()
  const codes = new Set<string>()
  const told = new Set<string>()
  const setsOf: Record<Where, readonly ReadonlySet<string>[]> = {
    success: [secrets],
    error: [secrets, tokens, told],
    log: [secrets, tokens, told],
    database: [secrets, tokens],
  }
  return {
    password(number) {
      const password = `cnry${createHash('sha256').update(`${seed} ${number}`).digest('hex').slice(0, 20)}`
      secrets.add(password)
      return password
    },
    add: (secret) => keep(secrets, secret),
    addToken: (token) => keep(tokens, token),
    addTold: (token) => keep(told, token),
    addCode: (code) => codes.add(code),
    within(text, where) {
      const found = new Set<string>(text.match(passwords)?.filter((one) => secrets.has(one)))
      const sets = setsOf[where]
      for (const run of runs) {
        for (const [part] of text.matchAll(run)) {
          if (sets.some((set) => set.has(part))) found.add(part)
        }
      }
      const hash = where === 'database' ? null : hashes.exec(text)
      if (hash) found.add(`a password hash, ${hash[0]}`)
      return [...found].map((one) => `${one.slice(0, 12)}...`)
    },
    isCode: (value) => codes.has(String(value)),
  }
}

/** The forms in which a secret could be written somewhere else. */
function keep(set: Set<string>, secret: string): void {
  const last = secret.split('.').at(-1) ?? '' // of a token: its signature
  const bytes = Buffer.from(last, 'base64url')
  const forms = [
    secret,
    last,
    secret.replaceAll('-', ''),
    bytes.toString('hex'),
    bytes.toString('base64'),
  ]
  for (const form of forms) if (form.length >= minLength) set.add(form)
}
