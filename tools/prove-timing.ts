import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { startService } from './service.ts'

/**
 * Measures whether time, body or headers tell a client whether a username exists or why a login
 * failed, and whether an address that signs up, or signs in by mail, has an account. Sends attempts of all kinds in turn
 * to the real service, first with hashes of its own, then also with imported ones, and compares the
 * median of each kind with that of an unknown username or address. Exits with 1 if a ratio is
 * outside of 0.9 to 1.1. `npm run prove:timing -- 500` sends 500 of each kind, with a further word
 * only in the sections whose titles have it: `-- 500 sign-up`.
 */
const rounds = Number(process.argv[2] ?? 150)
const word = process.argv[3] ?? ''
const tolerance = 0.1
const password = 'a pass phrase for proofs, 1887'
const wrong = 'not the right pass phrase'
// Each attempt waits as long as the most expensive hash takes: two at a time halve the run.
const inFlight = { own: 1, imported: 2 }

/** A request of one kind. */
interface Kind {
  readonly path: string
  readonly body: () => Readonly<Record<string, string>>
  /** Whether it is the form of a page, which a browser has opened before. */
  readonly isForm?: boolean
}

const login = (username: () => string, sent: string): Kind => ({
  path: '/login',
  body: () => ({ username: username(), password: sent }),
})
const signUp = (email: () => string): Kind => ({
  path: '/api/public/sign-up',
  body: () => ({ email: email() }),
})

const unknown = 'unknown username'
const ownKinds: Readonly<Record<string, Kind>> = {
  [unknown]: login(() => `nobody${tries}`, wrong),
  'wrong password': login(() => 'active', wrong),
  'locked, right password': login(() => 'locked', password),
  'locked, wrong password': login(() => 'locked', wrong),
  'disabled, right password': login(() => 'disabled', password),
  'password of 73 bytes': login(() => 'active', 'x'.repeat(73)),
  'password of 10 kB': login(() => 'active', 'x'.repeat(10_240)),
  'unknown, 10 kB': login(() => `nobody${tries}`, 'x'.repeat(10_240)),
}
const { 'wrong password': wrongPassword, 'locked, right password': locked } = ownKinds
const importedKinds: Readonly<Record<string, Kind | undefined>> = {
  [unknown]: ownKinds[unknown],
  'wrong password': wrongPassword,
  'locked, right password': locked,
  'bcrypt, cost 12': login(() => 'bcrypt', wrong),
  'Argon2id, 64 MiB': login(() => 'argon2', wrong),
  'PBKDF2, 1000 iterations': login(() => 'pbkdf2', wrong),
}

// Each address with an account is asked for once, because a mail a minute is the limit of one.
const owners = ['taken', 'disabled', 'locked'] as const
const asked = new Map<string, number>()
function next(who: string, times = 1): string {
  const number = asked.get(who) ?? 0
  asked.set(who, number + 1)
  return `${who}${Math.floor(number / times)}@example.org`
}
const free = 'free address'
const signUpKinds: Readonly<Record<string, Kind>> = {
  [free]: signUp(() => next('free')),
  'of an account': signUp(() => next('taken')),
  'of a disabled account': signUp(() => next('disabled')),
  'of a locked account': signUp(() => next('locked')),
  'unverified, of an account': signUp(() => next('unverified')),
  'over the limit': signUp(() => next('limited', 8)),
}

const signInByMail = (email: () => string): Kind => ({
  path: '/api/public/sign-in-code',
  body: () => ({ email: email() }),
})
const signInByMailKinds: Readonly<Record<string, Kind>> = {
  [free]: signInByMail(() => next('free')),
  'of an account': signInByMail(() => next('taken')),
  'of a disabled account': signInByMail(() => next('disabled')),
  'of a locked account': signInByMail(() => next('locked')),
  'unverified, of an account': signInByMail(() => next('unverified')),
  'over the limit': signInByMail(() => next('limited', 8)),
}

const page = (username: () => string, sent: string): Kind => ({
  ...login(username, sent),
  path: '/signin',
  isForm: true,
})
const pageKinds: Readonly<Record<string, Kind>> = {
  [unknown]: page(() => `nobody${tries}`, wrong),
  'unknown address': page(() => `nobody${tries}@example.org`, wrong),
  'unknown, a long address': page(() => `${'n'.repeat(58)}.${tries}@example.org`, wrong),
  'wrong password': page(() => 'active', wrong),
  'address, wrong password': page(() => 'active@example.org', wrong),
  'locked, right password': page(() => 'locked', password),
  'address of a locked account': page(() => 'locked@example.org', password),
  'disabled, right password': page(() => 'disabled', password),
  'unverified, right password': page(() => 'someone@example.org', password),
}

const made = new Set<string>()
let tries = 0
const service = await startService([process.execPath, 'src/main.ts'], {
  ADMIN_PASSWORD: password,
  TRUST_PROXY: '127.0.0.1', // each attempt has another address, so that no limit is exceeded
  NODE_ENV: 'test',
  LOGIN_LOCK_AFTER: '1000000',
  LOGIN_ADDRESS_ATTEMPTS: '1000000',
  SIGN_UP: 'open',
  SIGN_IN_BY_MAIL: 'on',
})
const sections: Readonly<Record<string, () => Promise<boolean>>> = {
  async 'all hashes are of the kind that the service makes'() {
    await makeAccounts()
    return compare(ownKinds, { usual: unknown, atOnce: inFlight.own })
  },
  async 'the page to sign in'() {
    await makeAccounts()
    verify(['active', 'locked', 'disabled'])
    return compare(pageKinds, { usual: unknown, atOnce: inFlight.own })
  },
  async 'imported hashes beside them'() {
    await importAccounts()
    return compare(importedKinds, { usual: unknown, atOnce: inFlight.imported })
  },
  async 'sign-up by a mail address'() {
    await makeOwners()
    return compare(signUpKinds, { usual: free, atOnce: 1 })
  },
  async 'sign-in by mail'() {
    await makeOwners()
    asked.clear()
    return compare(signInByMailKinds, { usual: free, atOnce: 1 })
  },
}

try {
  let isEven = true
  for (const [title, section] of Object.entries(sections)) {
    if (!title.includes(word)) continue
    print(title)
    isEven = (await section()) && isEven
  }
  print(isEven ? 'PASS' : 'FAIL')
  process.exitCode = isEven ? 0 : 1
} finally {
  await service.stop()
  service.remove()
}

/** Prints the kinds; answers whether all look alike and take the same time. */
async function compare(
  kinds: Readonly<Record<string, Kind | undefined>>,
  { usual: usualKind, atOnce }: { usual: string; atOnce: number },
): Promise<boolean> {
  const times = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]))
  const looks = new Set<string>()
  // In turn, each round in another order, so that other load of the machine affects all kinds
  // alike.
  const turns = Array.from({ length: rounds }, () => shuffled(Object.entries(kinds))).flat()
  const tryTurns = async () => {
    for (let turn = turns.pop(); turn; turn = turns.pop()) {
      const [name, kind] = turn
      if (!kind) continue
      const { milliseconds, look } = await attempt(kind)
      times.get(name)?.push(milliseconds)
      looks.add(look)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, tryTurns))
  const usual = quantile(times.get(usualKind) ?? [], 0.5)
  let isEven = looks.size === 1
  for (const [kind, samples] of times) {
    const [median = 0, ...quartiles] = [0.5, 0.25, 0.75].map((share) => quantile(samples, share))
    const ratio = median / usual
    if (!(Math.abs(ratio - 1) <= tolerance)) isEven = false
    const figures = [median, ...quartiles].map((ms) => ms.toFixed(1).padStart(7)).join(' ')
    print(`  ${kind.padEnd(26)} ${figures} ms  ${ratio.toFixed(3)}`)
  }
  print(`  median, quartiles and ratio of ${rounds} each; answers that differ: ${looks.size - 1}`)
  return isEven
}

/** Whether this is the first time: sections share what they need. */
function isFirst(what: string): boolean {
  return !made.has(what) && made.add(what) !== undefined
}

async function makeAccounts(): Promise<void> {
  if (!isFirst('accounts')) return
  for (const [username, change] of [
    ['active', {}],
    ['locked', { locked: true }],
    ['disabled', { active: false }],
  ] as const) {
    const who = { name: username, email: 'someone@example.org' }
    await admin('POST', '/api/admin/accounts', { username, password, roles: ['USER'], ...who })
    await admin('PUT', `/api/admin/accounts/${username}`, change)
  }
}

/** Makes accounts whose addresses count as verified, one for each attempt, and users without. */
async function makeOwners(): Promise<void> {
  if (!isFirst('owners')) return
  const password_hash = await argon2Hash(password)
  const lines = owners.flatMap((owner) =>
    Array.from({ length: rounds }, (_, index) =>
      JSON.stringify({
        ...{ username: `${owner}${index}`, password_hash, roles: [], name: owner },
        email: `unverified${index}@example.org`,
        ...(owner === 'locked' && { locked: true }),
        ...(owner === 'disabled' && { active: false }),
      }),
    ),
  )
  await admin('POST', '/api/admin/import/accounts', lines.join('\n'), 'application/x-ndjson')
  verify(
    owners.flatMap((owner) => Array.from({ length: rounds }, (_, index) => `${owner}${index}`)),
  )
}

/** Lets the address of each username count as verified. */
function verify(usernames: readonly string[]): void {
  const database = new DatabaseSync(join(service.dataDirectory, 'gatehouse.db'))
  database.exec('pragma busy_timeout = 5000') // the service writes beside us
  const update = database.prepare(`update accounts set verified_email = username || '@example.org',
    verified_email_key = username || '@example.org', email_verified_at = 1 where username = ?`)
  database.exec('begin immediate')
  for (const username of usernames) update.run(username)
  database.exec('commit')
  database.close()
}

async function importAccounts(): Promise<void> {
  const salt = randomBytes(16)
  const derived = pbkdf2Sync(password, salt, 1000, 32, 'sha256')
  const hashes = {
    bcrypt: await bcryptHash(password, 12),
    argon2: await argon2Hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 1 }),
    pbkdf2: `$pbkdf2-sha256$i=1000$${unpadded(salt)}$${unpadded(derived)}`,
  }
  const lines = Object.entries(hashes).map(([username, password_hash]) =>
    JSON.stringify({ username, password_hash, roles: [], name: username, email: 'a@example.org' }),
  )
  await admin('POST', '/api/admin/import/accounts', lines.join('\n'), 'application/x-ndjson')
  await new Promise((resolve) => setTimeout(resolve, 1000)) // noticed within a second
}

async function admin(
  method: string,
  path: string,
  body: object | string,
  type = 'application/json',
): Promise<void> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Basic ${btoa(`admin:${password}`)}`, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}

async function attempt({ path, body: bodyOf, isForm = false }: Kind) {
  tries += 1
  const address = `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`
  const headers = { 'x-forwarded-for': address }
  const sent = isForm ? await formOf(path, headers, bodyOf()) : jsonOf(bodyOf())
  const start = performance.now()
  const response = await fetch(service.url + (sent.action ?? path), {
    method: 'POST',
    headers: { ...headers, ...sent.headers },
    body: sent.body,
  })
  const text = await response.text()
  const milliseconds = performance.now() - start
  const names = [...response.headers.keys()].sort().join(' ')
  // What differs at each answer: the id of a request that was asked for, and when it ends.
  const shown = text.replace(/"id":"[\w-]{22}"/, 'id').replace(/"expires_at":"[^"]{24}"/, 'end')
  return { milliseconds, look: `${response.status} ${shown} ${names}` }
}

interface Sent {
  readonly action?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function jsonOf(body: object): Sent {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Opens the page, outside of what is measured, and fills in its form; the answer is JSON. */
async function formOf(
  path: string,
  headers: Record<string, string>,
  fields: object,
): Promise<Sent> {
  const response = await fetch(service.url + path, { headers })
  const text = await response.text()
  const cookie = response.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const [, action = ''] = /action="(\/signin\?flow=[\w-]+)"/.exec(text) ?? []
  const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec(text) ?? []
  return {
    action,
    headers: {
      cookie: cookie.join('; '),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ csrf_token, ...fields }).toString(),
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function quantile(samples: readonly number[], share: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * share)] ?? Number.NaN
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
