import { request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { processorMs, watchMemory } from './processes.ts'
import { memoryAtMost, type Row } from './rounds.ts'
import { open, readText, type Service, service } from './service.ts'

const accounts = 100_000
const goalSeconds = 20
const goalMegabytes = 250
const goalReadMs = 250
const goalWriteMs = 250
const pauseMs = 5
const quietMs = 5000

/**
 * Measures an import of 100,000 accounts with hashes by POST, while one client reads and one
 * writes.
 */
export async function imports(nodeOptions: readonly string[]): Promise<Row[]> {
  const target = await service(nodeOptions)
  try {
    const quiet = await longestWaits(target, () => wait(quietMs))
    const first = await runImport(target, 'first')
    const second = await runImport(target, 'second') // with the accounts of the first import present
    const total = await countAccounts(target)
    if (total !== 2 * accounts + 1) throw new Error(`${total} accounts`)
    const quietRows = [
      unjudged('longest wait of a reader, no import', quiet.reads, 'ms'),
      unjudged('longest wait of a writer, no import', quiet.writes, 'ms'),
    ]
    const rows = [first, second].flatMap(
      ({ seconds, processor, megabytes, reads, writes }, index) => {
        const which = index === 0 ? `${accounts} accounts imported` : 'as many beside them'
        return [
          atMost(which, seconds, goalSeconds, 's'),
          unjudged('  processor time', processor, 's'),
          memoryAtMost('  memory meanwhile', megabytes, goalMegabytes),
          atMost('  longest wait of a reader', reads, goalReadMs, 'ms'),
          atMost('  longest wait of a writer', writes, goalWriteMs, 'ms'),
        ]
      },
    )
    return [...quietRows, ...rows]
  } finally {
    await target.stop()
  }
}

async function runImport(target: Service, prefix: string) {
  const [startedAt, spent] = [performance.now(), processorMs(target.pid)]
  let seconds = 0
  let megabytes = 0
  const waits = await longestWaits(target, async () => {
    megabytes = await watchMemory(target.pid, async () => {
      const report = await post(target, Readable.from(linesOf(prefix)))
      if (JSON.parse(report).imported !== accounts) throw new Error(report)
    })
    seconds = (performance.now() - startedAt) / 1000
  })
  return { seconds, megabytes, processor: (processorMs(target.pid) - spent) / 1000, ...waits }
}

/** The longest waits, in milliseconds, of a client that reads and of one that writes. */
async function longestWaits(target: Service, work: () => Promise<unknown>) {
  let isDone = false
  const busy = () => !isDone
  const reading = longest(busy, () => ask(target, 'GET', '/users?limit=1'))
  const writing = longest(busy, () => ask(target, 'PUT', '/users/1', '{"name":"Administrator"}'))
  try {
    await work()
  } finally {
    isDone = true
  }
  return { reads: await reading, writes: await writing }
}

function* linesOf(prefix: string): Generator<string> {
  for (let index = 0; index < accounts; index += 1) {
    // Names in random order, so that all pages of their index are used.
    const username = `${prefix}-${(Math.imul(index, 2_654_435_761) >>> 0).toString(36)}`
    const password_hash = `$argon2id$v=19$m=19456,t=2,p=1$${'c2FsdHNhbHRzYWx0c2FsdA'}$${'A'.repeat(43)}`
    const email = `${username}@example.org`
    const line = { username, password_hash, roles: ['USER'], name: username, email }
    yield `${JSON.stringify(line)}\n`
  }
}

/** Sends requests one after another; answers the longest duration in milliseconds. */
async function longest(busy: () => boolean, once: () => Promise<void>): Promise<number> {
  let most = 0
  while (busy()) {
    const startedAt = performance.now()
    await once()
    most = Math.max(most, performance.now() - startedAt)
    await wait(pauseMs)
  }
  return most
}

async function ask({ url, bearer }: Service, method: string, path: string, body?: string) {
  const headers = { ...bearer, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(url + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`)
}

function post({ url, bearer }: Service, body: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { ...bearer, 'content-type': 'application/x-ndjson' }
    const sending = request(`${url}/api/admin/import/accounts`, { method: 'POST', headers })
    sending.on('response', (response) => readText(response).then(resolve, reject))
    sending.on('error', reject)
    body.pipe(sending)
  })
}

async function countAccounts({ url, bearer }: Service): Promise<number> {
  return JSON.parse(await readText(await open(`${url}/api/admin/accounts?limit=1`, bearer))).total
}

function atMost(what: string, value: number, goal: number, unit: string): Row {
  return { ...unjudged(what, value, unit), goal: `<= ${goal} ${unit}`, ok: value <= goal }
}

/** A line without a goal. */
function unjudged(what: string, value: number, unit: string): Row {
  const ours = `${value.toFixed(unit === 's' ? 1 : 0)} ${unit}`
  return { what, ours, peer: '', ratio: '', goal: '', ok: true }
}
