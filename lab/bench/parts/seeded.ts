import { execFileSync } from 'node:child_process'
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { settings as settingsTable } from '../../../test/config.ts'
import { password, seed } from '../../growth/seed.ts'
import { type DatabaseName, emptyStore, type Store } from '../../growth/store.ts'
import { type Service, service, sessionCookie } from '../service.ts'
import type { Plan } from '../turns.ts'

export { password, passwordHash } from '../../growth/seed.ts'

/** Accounts of the seeded database, for logins. */
export const usernames = Array.from({ length: 1000 }, (_, index) => `user${index + 2}`)
export const userIds = Array.from({ length: 1000 }, (_, index) => index + 2)

export interface Seeded {
  readonly store: Store
  /** Each further service on SQLite has a copy of the folder: one folder has one service. */
  start(settings?: Readonly<Record<string, string>>): Promise<Service>
  close(): Promise<void>
}

// All callers have one address; tokens outlive the longest run.
const settings = {
  LOGIN_TOKEN_SECONDS: '86400',
  ACCESS_TOKEN_SECONDS: '86400',
  LOGIN_IP_ATTEMPTS: '0',
  TOKEN_ISSUER: 'https://bench.example.org',
  DATABASE_TIMEOUT_MS: '10000',
}

export async function seeded(plan: Plan, name: DatabaseName, users: number): Promise<Seeded> {
  const store = await emptyStore(name)
  const startIn = (directory: string, more: Readonly<Record<string, string>> = {}) =>
    service(plan.nodeOptions, directory, {
      ...{ ...store.settings, ...settings, ...more },
      DATA_DIR: directory,
    })
  const known = name === 'SQLite' ? templates.get(users) : undefined
  if (known !== undefined) cpSync(known, store.directory, { recursive: true })
  else {
    await (await startIn(store.directory)).stop()
    await seed(store, users)
    if (name === 'SQLite') {
      const template = temporaryFolder()
      cpSync(store.directory, template, { recursive: true })
      templates.set(users, template)
    }
  }
  let isTaken = false
  const directory = () => {
    const template = templates.get(users)
    if (name === 'PostgreSQL' || !isTaken || template === undefined) return store.directory
    const copy = temporaryFolder()
    cpSync(template, copy, { recursive: true })
    return copy
  }
  const start: Seeded['start'] = (more) => {
    const place = directory()
    isTaken = true
    return startIn(place, more)
  }
  return { store, start, close: () => store.close() }
}

/** Seeded folders of SQLite by the number of users, copied for each part. */
const templates = new Map<number, string>()

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const tokenSecret = randomBytes(48).toString('base64url')
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
export const tokenPrivateKey = privateKey
const signLater = promisify(sign)

/** Copies of a token of the service with ids of their own, signed with the key that it was given. */
export async function copiesOf(
  token: string,
  count: number,
  algorithm: 'HS256' | 'RS256',
): Promise<string[]> {
  const [header = '', payload = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const key = createPrivateKey(tokenPrivateKey)
  const signature = async (text: string) =>
    algorithm === 'HS256'
      ? createHmac('sha256', tokenSecret).update(text).digest('base64url')
      : (await signLater('sha256', Buffer.from(text), key)).toString('base64url')
  return Promise.all(
    Array.from({ length: count }, async () => {
      const own = Buffer.from(JSON.stringify({ ...claims, jti: randomUUID() })).toString(
        'base64url',
      )
      return `${header}.${own}.${await signature(`${header}.${own}`)}`
    }),
  )
}

/** Logs accounts in by mode `pair`; answers their refresh tokens. */
export async function refreshTokens({ url }: Service, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (const username of usernames.slice(0, count)) {
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password, mode: 'pair' }),
    })
    const answer = (await response.json()) as { refresh_token?: string }
    if (answer.refresh_token === undefined) throw new Error(`no refresh token: ${response.status}`)
    tokens.push(answer.refresh_token)
  }
  return tokens
}

/** Adds a client that may introspect to a file; answers its Basic credentials. */
export function addClient(file: string): string {
  const root = join(import.meta.dirname, '../../..')
  const words = ['client', 'add', 'bench', '--audience', 'api', '--may', 'introspect']
  const output = execFileSync(
    process.execPath,
    ['src/cli/main.ts', ...words, '--file', file, '--json'],
    { cwd: root, encoding: 'utf8' },
  )
  return `Basic ${btoa(`bench:${JSON.parse(output).secret}`)}`
}

export async function sessionOf(target: Service): Promise<{ cookie: string }> {
  return { cookie: await sessionCookie(target) }
}

export function knowsSetting(name: string): boolean {
  return name in settingsTable
}
