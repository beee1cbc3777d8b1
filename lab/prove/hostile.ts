import { readdirSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { processorMs, residentMegabytes } from '../bench/processes.ts'
import type { Service } from '../bench/service.ts'
import { password, seed } from '../growth/seed.ts'
import { startNode } from '../growth/side.ts'
import { emptyStore, removeCluster, type Store } from '../growth/store.ts'
import { goal, missedGoals, print, verdict } from '../growth/table.ts'
import type { Load, Sent, Target } from '../hostile/load.ts'
import type { SendOptions } from '../hostile/sender.ts'

/**
 * Measures what a hostile caller costs other callers: runs each load of lab/hostile/ against a
 * service of its own with 3,000 users, while other callers request /api/me and /health/live twenty times
 * a second. Exits with 1 if a median of theirs or the service's memory exceeds its limit, or the service
 * dies. `npm run prove -- hostile [--postgresql] [--seconds=n] [part of a load's name ...]`
 */
const users = 3000
const medianGoalMs = 50
const memoryGoalMebibytes = 512
const pauseMs = 50
const probes = ['/api/me', '/health/live']
const given = process.argv.slice(2)
const seconds = Number(given.find((each) => each.startsWith('--seconds='))?.slice(10) ?? 20)
const wanted = given.filter((each) => !each.startsWith('--'))
const database = given.includes('--postgresql') ? 'PostgreSQL' : 'SQLite'
const folder = join(import.meta.dirname, '../hostile')

let store: Store | undefined
try {
  store = await emptyStore(database)
  const first = await startNode(store)
  await seed(store, users)
  await first.stop()
  for (const { file, load } of await allLoads()) {
    if (wanted.length > 0 && !wanted.some((part) => load.name.includes(part))) continue
    await prove(store, file, load)
  }
} finally {
  await store?.close()
  await removeCluster()
}
print(verdict())
process.exit(missedGoals() === 0 ? 0 : 1)

async function allLoads(): Promise<{ file: string; load: Load }[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('-loads.ts'))
  const found = files.sort().map(async (name) => {
    const file = join(folder, name)
    const { loads }: { loads: readonly Load[] } = await import(file)
    return loads.map((load) => ({ file, load }))
  })
  return (await Promise.all(found)).flat()
}

/** Runs a load against a new process, so that its peak of memory belongs to the load. */
async function prove(store: Store, file: string, load: Load): Promise<void> {
  print(`\n${database}: ${load.name}`)
  const service = await startNode(store)
  try {
    const target = await targetOf(service)
    const others = probes.map((path) => ({ path, caller: otherCaller(target, path, service.pid) }))
    const spentBefore = processorMs(service.pid)
    const { sent, answers } = await send({ file, name: load.name, target, seconds })
    const waits = await Promise.all(
      others.map(async ({ path, caller }) => ({ path, ...(await caller.stop()) })),
    )
    const spentMs = processorMs(service.pid) - spentBefore
    const alive = await statusOf(target, '/health/live')
    print(`  sent ${sent}; ${shownAnswers(answers)}`)
    print(`  CPU of the service: ${(spentMs / sent).toFixed(2)} ms for each that was sent`)
    for (const { path, sorted, sortedSpent } of waits) {
      const spent = `the service works ${at(sortedSpent, 0.5).toFixed(0)} ms while one waits (median)`
      print(
        `  ${path} of others: ${sorted.length} requests, p99 ${at(sorted, 0.99).toFixed(1)} ms; ${spent}`,
      )
      goal(`median of ${path}, ms`, at(sorted, 0.5), load.medianMs ?? medianGoalMs)
    }
    const peak = (residentMegabytes(service.pid).peak * 1e6) / 2 ** 20
    goal('peak resident memory, MiB', peak, load.memoryMebibytes ?? memoryGoalMebibytes)
    goal('processes that are gone', alive === 200 ? 0 : 1, 0)
  } finally {
    await service.stop()
  }
}

async function targetOf({ url, bearer }: Service): Promise<Target> {
  const { hostname, port } = new URL(url)
  const username = 'user2' // seeded, role USER
  const login = (mode: string) =>
    fetch(`${url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ username, password, mode }),
    })
  const { token } = (await (await login('token')).json()) as { token?: string } // the contract's
  const [cookie] = ((await login('session')).headers.getSetCookie()[0] ?? '').split(';')
  if (!token || !cookie || !bearer.authorization) throw new Error(`no login as ${username}`)
  return {
    host: hostname,
    port: Number(port),
    user: `Bearer ${token}`,
    admin: bearer.authorization,
    session: cookie,
  }
}

function send(workerData: SendOptions): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(folder, 'sender.ts'), { workerData })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the load ended without an answer')))
  })
}

interface Waits {
  readonly sorted: number[]
  /** The CPU time of the service during the measurement: on a busy machine requests wait for the CPU. */
  readonly sortedSpent: number[]
}

/** Sends requests at a constant rate; answers their durations in milliseconds. */
function otherCaller(target: Target, path: string, pid: number): { stop(): Promise<Waits> } {
  const agent = new Agent({ keepAlive: true })
  const asked: Promise<{ ms: number; spentMs: number }>[] = []
  const ask = async () => {
    const startedAt = performance.now()
    const spentBefore = processorMs(pid)
    const status = await statusOf(target, path, agent)
    const spentMs = processorMs(pid) - spentBefore
    return {
      ms: status === 200 ? performance.now() - startedAt : Number.POSITIVE_INFINITY,
      spentMs,
    }
  }
  const timer = setInterval(() => asked.push(ask()), pauseMs)
  return {
    async stop() {
      clearInterval(timer)
      const waits = await Promise.all(asked)
      agent.destroy()
      return {
        sorted: waits.map(({ ms }) => ms).sort((one, another) => one - another),
        sortedSpent: waits.map(({ spentMs }) => spentMs).sort((one, another) => one - another),
      }
    },
  }
}

function statusOf({ host, port, user }: Target, path: string, agent?: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: user }
    get({ host, port, path, headers, agent: agent ?? false, timeout: 60_000 }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0))
    })
      .on('timeout', () => resolve(0))
      .on('error', () => resolve(0))
  })
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.POSITIVE_INFINITY
}

function shownAnswers(answers: Record<string, number>): string {
  const shown = Object.entries(answers).map(([name, count]) => `${count} x ${name}`)
  return shown.join(', ') || 'no answers'
}
