import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { databaseFileName } from '../src/database/sqlite/connect.ts'
import { startService } from './service.ts'

/**
 * Measures whether time, body or headers tell a client whether a username exists, why a login
 * failed, or whether a password reset was mailed. Sends attempts of all kinds in turn to the real service, first with hashes of its own,
 * then also with imported ones, and compares the median of each kind with that of an unknown
 * username. Exits with 1 if a ratio is outside of 0.9 to 1.1. `npm run prove:timing -- 500` sends
 * 500 of each kind.
 */
const rounds = Number(process.argv[2] ?? 150)
const tolerance = 0.1
const owners = 200
const password = 'a pass phrase for proofs, 1887'
const wrong = 'not the right pass phrase'
// Each attempt waits as long as the most expensive hash takes: two at a time halve the run.
const inFlight = { own: 1, imported: 2 }

interface Kind {
  readonly username: () => string
  readonly password: string
}

const unknown = 'unknown username'
const ownKinds: Readonly<Record<string, Kind>> = {
  [unknown]: { username: () => `nobody${tries}`, password: wrong },
  'wrong password': { username: () => 'active', password: wrong },
  'locked, right password': { username: () => 'locked', password },
  'locked, wrong password': { username: () => 'locked', password: wrong },
  'disabled, right password': { username: () => 'disabled', password },
  'password of 73 bytes': { username: () => 'active', password: 'x'.repeat(73) },
  'password of 10 kB': { username: () => 'active', password: 'x'.repeat(10_240) },
  'unknown, 10 kB': { username: () => `nobody${tries}`, password: 'x'.repeat(10_240) },
}
const { 'wrong password': wrongPassword, 'locked, right password': locked } = ownKinds
const importedKinds: Readonly<Record<string, Kind | undefined>> = {
  [unknown]: ownKinds[unknown],
  'wrong password': wrongPassword,
  'locked, right password': locked,
  'bcrypt, cost 12': { username: () => 'bcrypt', password: wrong },
  'Argon2id, 64 MiB': { username: () => 'argon2', password: wrong },
  'PBKDF2, 1000 iterations': { username: () => 'pbkdf2', password: wrong },
}

/** Whose reset is asked for: the second time for a name, and each other name for the first time. */
const resetKinds: Readonly<Record<string, Kind>> = {
  [unknown]: { username: () => `nobody${tries}`, password: '' },
  known: { username: () => `owner${Math.floor(tries / 6) % owners}`, password: '' },
  'known, over its limit': { username: () => 'active', password: '' },
  'unverified address': { username: () => 'bcrypt', password: '' },
  locked: { username: () => 'locked', password: '' },
  disabled: { username: () => 'disabled', password: '' },
}

let tries = 0
const service = await startService([process.execPath, 'src/main.ts'], {
  ADMIN_PASSWORD: password,
  TRUST_PROXY: '127.0.0.1', // each attempt has another address, so that no limit is exceeded
  NODE_ENV: 'test',
  LOGIN_LOCK_AFTER: '1000000',
  LOGIN_ADDRESS_ATTEMPTS: '1000000',
  MAIL_REQUESTS_PER_CLIENT: '0',
})
try {
  await makeAccounts()
  print('all hashes are of the kind that the service makes')
  let isEven = await compare(ownKinds, inFlight.own)
  await importAccounts()
  print('imported hashes beside them')
  isEven = (await compare(importedKinds, inFlight.imported)) && isEven
  print('a password reset is asked for')
  await verifyAddresses()
  isEven = (await compare(resetKinds, inFlight.own, reset)) && isEven
  print(isEven ? 'PASS' : 'FAIL')
  process.exitCode = isEven ? 0 : 1
} finally {
  await service.stop()
  service.remove()
}

/** Prints the kinds; answers whether all look alike and take the same time. */
async function compare(
  kinds: Readonly<Record<string, Kind | undefined>>,
  atOnce: number,
  attempt = logIn,
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
      const { milliseconds, look } = await attempt(kind.username(), kind.password)
      times.get(name)?.push(milliseconds)
      looks.add(look)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, tryTurns))
  const usual = quantile(times.get(unknown) ?? [], 0.5)
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

async function makeAccounts(): Promise<void> {
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

/** Gives accounts a verified address, as the link of a mail does. */
async function verifyAddresses(): Promise<void> {
  const lines = Array.from({ length: owners }, (_, index) =>
    JSON.stringify({ username: `owner${index}`, roles: [], name: 'Owner', email: 'a@example.org' }),
  )
  await admin('POST', '/api/admin/import/accounts', lines.join('\n'), 'application/x-ndjson')
  const database = new DatabaseSync(join(service.dataDirectory, databaseFileName))
  database.exec(`update accounts set verified_email = username || '@example.org',
    verified_email_key = username || '@example.org', email_verified_at = 1
    where username like 'owner%' or username in ('active', 'locked', 'disabled')`)
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

async function logIn(username: string, secret: string) {
  return timed('/login', { username, password: secret })
}

/** The deadline of a link that was mailed before differs, as it may. */
async function reset(username: string) {
  const { look, milliseconds } = await timed('/api/public/reset', { username })
  return { milliseconds, look: look.replace(/"id":"[\w-]{22}"|"expires_at":"[^"]+"/g, '') }
}

async function timed(path: string, sent: object) {
  tries += 1
  const address = `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`
  const body = JSON.stringify(sent)
  const start = performance.now()
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body,
  })
  const text = await response.text()
  const milliseconds = performance.now() - start
  const names = [...response.headers.keys()].sort().join(' ')
  return { milliseconds, look: `${response.status} ${text} ${names}` }
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
