import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { Client } from 'pg'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import type { Service } from '../../tools/service.ts'

export const password = 'a pass phrase for proofs, 1887'

/** The states of accounts whose address is verified; each is asked for once: see `nextOwner`. */
export const owners = ['taken', 'disabled', 'locked'] as const

export async function makeAccounts(service: Service): Promise<void> {
  for (const [username, change] of [
    ['active', {}],
    ['locked', { locked: true }],
    ['disabled', { active: false }],
  ] as const) {
    const who = { name: username, email: 'someone@example.org' }
    await admin(service, 'POST', '/api/admin/accounts', {
      ...{ username, password, roles: ['USER'] },
      ...who,
    })
    await admin(service, 'PUT', `/api/admin/accounts/${username}`, change)
  }
}

export async function importAccounts(service: Service): Promise<void> {
  const salt = randomBytes(16)
  const derived = pbkdf2Sync(password, salt, 1000, 32, 'sha256')
  const hashes = {
    bcrypt: await bcryptHash(password, 12),
    argon2: await argon2Hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 1 }),
    pbkdf2: `$pbkdf2-sha256$i=1000$${unpadded(salt)}$${unpadded(derived)}`,
  }
  await importLines(
    service,
    Object.entries(hashes).map(([username, password_hash]) => ({
      ...{ username, password_hash, roles: [], name: username, email: 'a@example.org' },
    })),
  )
  await new Promise((resolve) => setTimeout(resolve, 1000)) // noticed within a second
}

/**
 * Makes `count` accounts of each state, `taken0@example.org` and so on, whose addresses count as
 * verified; `unverified0@example.org` and so on stand in accounts without a proof.
 */
export async function makeOwners(service: Service, count: number): Promise<void> {
  const password_hash = await argon2Hash(password, { memoryCost: 19_456, timeCost: 2 })
  for (const owner of owners) {
    await importLines(
      service,
      Array.from({ length: count }, (_, index) => ({
        ...{ username: `${owner}${index}`, password_hash, roles: ['USER'], name: owner },
        email: `unverified${index}@example.org`,
        ...(owner === 'locked' && { locked: true }),
        ...(owner === 'disabled' && { active: false }),
      })),
    )
  }
  await execute(
    service,
    `update accounts set verified_email = username || '@example.org',
    verified_email_key = username || '@example.org', email_verified_at = 1
    where ${owners.map((owner) => `username like '${owner}%' and username <> '${owner}'`).join(' or ')}`,
  )
}

export async function tokenOf(service: Service, username: string): Promise<string> {
  const response = await fetch(`${service.url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username, password, mode: 'token' }),
  })
  const { token } = (await response.json()) as { token?: string }
  if (token === undefined) throw new Error(`login of ${username}: ${response.status}`)
  return token
}

/** Changes rows below the service, as no client could. */
async function execute({ dataDirectory }: Service, statement: string): Promise<void> {
  const address = process.env.DATABASE_URL
  if (address) {
    const client = new Client({ connectionString: address })
    await client.connect()
    await client.query(statement)
    await client.end()
  } else {
    const database = new DatabaseSync(join(dataDirectory, databaseFileName), { timeout: 10_000 })
    database.exec(statement)
    database.close()
  }
}

function importLines(service: Service, lines: readonly object[]): Promise<void> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  return admin(service, 'POST', '/api/admin/import/accounts', text, 'application/x-ndjson')
}

async function admin(
  { url }: Service,
  method: string,
  path: string,
  body: object | string,
  type = 'application/json',
): Promise<void> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Basic ${btoa(`admin:${password}`)}`, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  if (!response.ok) {
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  }
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
