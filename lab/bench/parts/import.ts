import { request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { processorMs, watchMemory } from '../processes.ts'
import type { Figure, Line, Unit } from '../report/figure.ts'
import { open, readText, type Service, service } from '../service.ts'
import { type Plan, takeOnce } from '../turns.ts'

const accounts = 100_000
const goalMs = 20_000
const goalMegabytes = 250
const goalWaitMs = 250
const pauseMs = 5
const quietMs = 5000

const about = `An import of 100,000 accounts with given hashes by \`POST /api/admin/import/accounts\` on SQLite, and of as many beside them, while one
client reads and one writes, one request after the other. Memory is the most that was resident (RSS). The waits without
an import are shown first.`

/**
 * Measures an import of 100,000 accounts with hashes by POST, while one client reads and one
 * writes.
 */
export async function imports(plan: Plan): Promise<Figure> {
  const target = await service(plan.nodeOptions)
  const { result: lines, about: taken } = await takeOnce(plan, async () => {
    runs += 1
    const quiet = await longestWaits(target, () => wait(quietMs))
    const first = await runImport(target, `first${runs}`)
    const second = await runImport(target, `second${runs}`) // with the accounts of the first present
    const total = await countAccounts(target)
    if (total !== 2 * accounts * runs + 1) throw new Error(`${total} accounts`)
    return [
      line('longest wait of a reader, no import', quiet.reads),
      line('longest wait of a writer, no import', quiet.writes),
      ...linesOf('100,000 accounts', first),
      ...linesOf('100,000 more', second),
    ]
  })
  await target.stop()
  return { name: 'import', title: 'Import of accounts', about, unit: 'ms', lines, ...taken }
}

let runs = 0

type Run = Awaited<ReturnType<typeof runImport>>

function linesOf(which: string, { ms, processor, megabytes, reads, writes }: Run): Line[] {
  return [
    line(which, ms, 'ms', goalMs),
    line(`${which}, processor time`, processor),
    line(`${which}, memory`, megabytes, 'MB', goalMegabytes),
    line(`${which}, longest wait of a reader`, reads, 'ms', goalWaitMs),
    line(`${which}, longest wait of a writer`, writes, 'ms', goalWaitMs),
  ]
}

function line(what: string, value: number, unit: Unit = 'ms', atMost?: number): Line {
  const judged =
    atMost === undefined ? {} : { comparisons: [{ to: 'itself', values: [value], atMost }] }
  return { what, values: [value], unit, ...judged }
}

async function runImport(target: Service, prefix: string) {
  const [startedAt, spent] = [performance.now(), processorMs(target.pid)]
  let ms = 0
  let megabytes = 0
  const waits = await longestWaits(target, async () => {
    megabytes = await watchMemory(target.pid, async () => {
      const report = await post(target, Readable.from(accountLines(prefix)))
      if (JSON.parse(report).imported !== accounts) throw new Error(report)
    })
    ms = performance.now() - startedAt
  })
  return { ms, megabytes, processor: processorMs(target.pid) - spent, ...waits }
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

function* accountLines(prefix: string): Generator<string> {
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
