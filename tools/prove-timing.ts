import { startService } from './service.ts'

/**
 * Can a stranger tell by time, body or headers whether a username exists, or why a login failed?
 * Interleaved samples against the real service; the median of each kind is held against that of a
 * wrong password. Exits 1 where a ratio lies outside of 0.9 to 1.1. `npm run prove:timing`
 */
const rounds = Number(process.argv[2] ?? 200)
const tolerance = 0.1
const password = 'a pass phrase for proofs, 1887'
const limitless = { LOGIN_LOCK_AFTER: '1000000', LOGIN_ADDRESS_ATTEMPTS: '1000000' }

const service = await startService([process.execPath, 'src/main.ts'], {
  ADMIN_PASSWORD: password,
  TRUST_PROXY: '127.0.0.1', // each try comes from another address: no limit is met
  NODE_ENV: 'test',
  ...limitless,
})
let tries = 0
const kinds: Record<string, { username: () => string; password: string }> = {
  'wrong password': { username: () => 'active', password: 'not the right pass phrase' },
  'unknown username': { username: () => `nobody${tries}`, password: 'not the right pass phrase' },
  'locked, right password': { username: () => 'locked', password },
  'disabled, right password': { username: () => 'disabled', password },
  'locked, wrong password': { username: () => 'locked', password: 'not the right pass phrase' },
  'password of 73 bytes': { username: () => 'active', password: 'x'.repeat(73) },
  'password of 10 kB': { username: () => 'active', password: 'x'.repeat(10_240) },
  'unknown, 10 kB': { username: () => `nobody${tries}`, password: 'x'.repeat(10_240) },
}

try {
  await prepare()
  const times = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]))
  const looks = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, { username, password: secret }] of shuffled(Object.entries(kinds))) {
      const { milliseconds, look } = await attempt(username(), secret)
      times.get(kind)?.push(milliseconds)
      looks.add(look)
    }
  }
  const usual = median(times.get('wrong password') ?? [])
  let isEven = looks.size === 1
  for (const [kind, samples] of times) {
    const ratio = median(samples) / usual
    if (Math.abs(ratio - 1) > tolerance) isEven = false
    print(`${kind.padEnd(26)} ${median(samples).toFixed(2).padStart(8)} ms  ${ratio.toFixed(3)}`)
  }
  print(`${rounds} interleaved samples each; answers that look different: ${looks.size - 1}`)
  print(isEven ? 'PASS' : 'FAIL')
  process.exitCode = isEven ? 0 : 1
} finally {
  await service.stop()
  service.remove()
}

async function prepare(): Promise<void> {
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

async function admin(method: string, path: string, json: object): Promise<void> {
  const response = await fetch(service.url + path, {
    method,
    headers: {
      authorization: `Basic ${btoa(`admin:${password}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(json),
  })
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}

async function attempt(username: string, secret: string) {
  tries += 1
  const address = `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`
  const body = JSON.stringify({ username, password: secret })
  const start = performance.now()
  const response = await fetch(`${service.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body,
  })
  const text = await response.text()
  const milliseconds = performance.now() - start
  const names = [...response.headers.keys()].sort().join(' ')
  return { milliseconds, look: `${response.status} ${text} ${names}` }
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
