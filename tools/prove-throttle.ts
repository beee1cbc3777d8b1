import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { startCluster } from '../test/faults/cluster.ts'
import { type Service, startService } from './service.ts'

/**
 * Proves on both databases that the login throttle holds for simultaneous guesses through two
 * processes on one database, of which one is killed meanwhile; and that after a kill during right
 * logins their address is free and their names are counted. `npm run prove:throttle`
 */
const guesses = 200
const limit = 5
const env = {
  ADMIN_PASSWORD: 'a pass phrase for proofs, 1887',
  NODE_ENV: 'test',
  // One address guesses at many names here: the limit of the address is off.
  LOGIN_IP_ATTEMPTS: '0',
  LOGIN_LOCK_AFTER: '0',
}
const command = [process.execPath, 'src/main.ts'] as const
// An attempt of a killed process is pending for ten seconds; then it does not count for the address
// any more, and counts as failed for the name.
const lapsedMs = 10_500

let first = await startService(command, env)
const second = await startService(command, env, first.dataDirectory)
try {
  for (const username of ['admin', 'nobody']) {
    const statuses = await guess(username, [first, second])
    report(`${guesses} parallel guesses at ${username}, two processes`, statuses)
    assert.equal(count(statuses, 401), limit)
    assert.equal(count(statuses, 429), guesses - limit)
  }
  assert.equal(verifications([first, second]), 2 * limit, 'passwords looked at')

  const before = verifications([first, second])
  const killed = guess('victim', [first, second])
  await setTimeout(25)
  first.process.kill('SIGKILL')
  const statuses = await killed
  report(`${guesses} parallel guesses, one process killed on the way`, statuses)
  assert.ok(count(statuses, 401) <= limit)
  assert.ok(verifications([first, second]) - before <= limit, 'passwords looked at')
  first = await startService(command, env, first.dataDirectory)
  await setTimeout(lapsedMs)
  const after = await guess('victim', [first, second])
  report(`${guesses} more, after its restart`, after)
  assert.ok(count(statuses, 401) + count(after, 401) <= limit, 'five in all')
  assert.equal(count(after, 429) + count(after, 401), guesses)
  const again = await guess('victim', [first])
  assert.equal(count(again, 429), guesses)
} finally {
  await Promise.all([first.stop(), second.stop()])
  first.remove()
}
await killRightLogins('SQLite')
const cluster = await startCluster()
try {
  await cluster.start()
  await killRightLogins('PostgreSQL', {
    DATABASE_URL: cluster.url(await cluster.createDatabase()),
    MASTER_KEY: randomBytes(32).toString('hex'),
  })
} finally {
  await cluster.remove()
}
print('PASS')

/** Sends kill -9 during right logins: one fewer than the quota of their address. */
async function killRightLogins(database: string, more: Record<string, string> = {}): Promise<void> {
  const places = 20
  const settings = { ...env, ...more, LOGIN_IP_ATTEMPTS: String(places) }
  let service = await startService(command, settings)
  try {
    const password = 'a pass phrase for callers, 1887'
    const names = ['ann', 'bob', 'cid', 'dan']
    await importAccounts(service, names, await bcryptHash(password, 14)) // a second each
    const logins = Array.from({ length: places - 1 }, (_, index) =>
      logIn(service, names[Math.floor(index / limit)] ?? '', password),
    )
    // The first logins may be done before the last ones have begun.
    while ((await pendingOfAddress(service)) < (places * 3) / 4) await setTimeout(5)
    service.process.kill('SIGKILL')
    const statuses = await Promise.all(logins)
    report(`${database}: ${places - 1} right logins, killed on the way`, statuses)
    assert.ok(count(statuses, 0) >= (places * 3) / 4, 'most were under way')

    service = await startService(command, settings, service.dataDirectory)
    await setTimeout(lapsedMs)
    const [, , full = ''] = names // the name whose logins were all under way
    assert.equal(await logIn(service, full, password), 429, 'the places of the name stay used')
    // All at the same time: each refusal takes as long as such a hash.
    const after = await Promise.all(
      Array.from({ length: places + 1 }, (_, index) =>
        logIn(service, `nobody${index}`, 'wrong pass phrase'),
      ),
    )
    report(`${database}: ${places + 1} guesses at as many names, after its restart`, after)
    assert.equal(count(after, 401), places, 'all places of the address are free')
    assert.equal(count(after, 429), 1)
  } finally {
    await service.stop()
    service.remove()
  }
}

async function importAccounts(service: Service, names: readonly string[], hash: string) {
  const lines = names.map((username) =>
    JSON.stringify({
      ...{ username, password_hash: hash, roles: [] },
      ...{ name: username, email: 'someone@example.org' },
    }),
  )
  await admin(service, '/api/admin/import/accounts', lines.join('\n'))
}

/** Counts the pending attempts of this address. */
async function pendingOfAddress(service: Service): Promise<number> {
  const response = await admin(service, '/api/admin/throttle?limit=100')
  const { counts } = (await response.json()) as {
    counts: { data: { count: string; pending: number }[] }
  }
  return counts.data.find((row) => row.count === 'address')?.pending ?? 0
}

async function admin(service: Service, path: string, lines?: string): Promise<Response> {
  const response = await fetch(service.url + path, {
    method: lines === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Basic ${btoa(`admin:${env.ADMIN_PASSWORD}`)}`,
      'content-type': 'application/x-ndjson',
    },
    ...(lines !== undefined && { body: lines }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}

/** Sends simultaneous wrong passwords for a name, in turn to the services; status 0: no answer. */
function guess(username: string, services: readonly Service[]): Promise<number[]> {
  return Promise.all(
    Array.from({ length: guesses }, (_, index) =>
      logIn(services[index % services.length], username, `wrong pass phrase ${index}`),
    ),
  )
}

/** The status of the answer; 0 if there was none. */
async function logIn(
  service: Service | undefined,
  username: string,
  password: string,
): Promise<number> {
  const body = new URLSearchParams({ username, password })
  try {
    const response = await fetch(`${service?.url}/login`, { method: 'POST', body })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

/** Counts verifications of wrong passwords, each of which logs a line. */
function verifications(services: readonly Service[]): number {
  return services.reduce(
    (sum, service) => sum + (service.output().match(/"event":"authn_login_fail"/g) ?? []).length,
    0,
  )
}

function report(what: string, statuses: readonly number[]): void {
  const told = [200, 401, 429, 503].map((status) => `${count(statuses, status)} x ${status}`)
  print(`${what}: ${told.join(', ')}, ${count(statuses, 0)} cut off`)
}

function count(statuses: readonly number[], wanted: number): number {
  return statuses.filter((status) => status === wanted).length
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
