import { setTimeout as wait } from 'node:timers/promises'
import { loadConfig } from '../../src/core/config/load.ts'
import { purgeBatchSize, purgeEveryMs } from '../../src/core/module/jobs.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { loadModules } from '../../src/core/module/serve.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { systemDeps } from '../../src/core/runtime/deps.ts'
import { modules } from '../../src/modules.ts'
import { callerOf } from '../../test/faults/http.ts'
import { median } from '../bench/report/figure.ts'
import { insertSessions, numbersUpTo } from './seed.ts'
import { type Side, startNode } from './side.ts'
import type { Store } from './store.ts'
import { print, startTable } from './table.ts'

const goalStepMs = 100
const goalWaitMs = 250
const alive = 100_000
const stepsAlone = 400
const hourMs = 3_600_000
// Revocations are kept a day longer than their tokens: see clockLeewayMs.
const endedMs = 72 * hourMs
const pauseMs = 5
const quietMs = 20_000

/** A table that fills with expired rows, and the name of the job that purges it. */
const kinds = [
  { job: 'ended sessions', table: 'sessions', ended: 'last_seen_at' },
  { job: 'throttle places', table: 'throttle_places', ended: 'expires_at' },
  { job: 'revocations', table: 'revocations', ended: 'expires_at' },
  { job: 'sign-ins under way', table: 'flows', ended: 'expires_at' },
  { job: 'idempotency keys', table: 'idempotency_keys', ended: 'expires_at' },
] as const

/**
 * Measures the purge of `rows` expired rows of each kind beside 100,000 others: first by jobs in
 * this process, then by the service beside one reader and one writer.
 */
export async function provePurges({ store, seeded }: Side, rows: number): Promise<void> {
  const now = Date.now()
  await fill(store, rows, seeded.users, now - endedMs)
  await fill(store, alive, seeded.users, now + hourMs)
  await store.settle()
  await measureSteps(store, rows)
  await purgeInService(store)
}

async function fill(store: Store, rows: number, users: number, expiresAt: number): Promise<void> {
  const hex = store.randomHex
  const text = `substr(${hex} || ${hex}, 1, 43)`
  const numbers = `from (${numbersUpTo(rows)}) as numbers`
  await insertSessions(store, rows, users, expiresAt)
  await store.query(`
    insert into throttle_places (username, address, taken_at, pending, expires_at)
    select ${text}, '192.0.2.1', ${expiresAt - hourMs} + n, 0, ${expiresAt} + n ${numbers}`)
  await store.query(`
    insert into revocations (token, expires_at) select ${hex}, ${expiresAt} + n ${numbers}`)
  await store.query(`
    insert into flows (id, browser, purpose, provider, sealed, return_to, expires_at)
    select ${text}, ${text}, 'sign_in', 'default', ${text}, '/', ${expiresAt} + n ${numbers}`)
  await store.query(`
    insert into idempotency_keys (id, fingerprint, answer, expires_at)
    select ${text}, ${text}, '{"id":1,"name":"A","email":"a@example.org"}', ${expiresAt} + n ${numbers}`)
}

async function measureSteps(store: Store, rows: number): Promise<void> {
  const deps = systemDeps(
    loadConfig({ ...store.settings, LOG_LEVEL: 'warn' }, await settingsOfModules(modules)),
  )
  const services = await (await createServiceMaker(deps, { modules })).all()
  const needs = { ...deps, ...services }
  const jobs = (await loadModules(modules)).flatMap((module) => module.jobs?.(needs) ?? [])
  const title = `${store.name}: ms of a step of ${purgeBatchSize} of ${rows} ended rows, beside ${alive} others`
  // SQLite works in this process: its processor time does not depend on other load of the machine.
  const isHere = store.name === 'SQLite'
  const printFigure = startTable(title, ['slowest', 'median', isHere ? 'p99 of CPU' : 'p99'])
  for (const { job, table } of kinds) {
    const found = jobs.find(({ name }) => name === job)
    if (!found || !('purge' in found)) throw new Error(`no purge ${job}`)
    const taken: number[] = []
    const spent: number[] = []
    for (let step = 0; step < stepsAlone; step += 1) {
      const [began, before] = [performance.now(), process.cpuUsage()]
      const removed = await found.purge(purgeBatchSize)
      taken.push(performance.now() - began)
      const { user, system } = process.cpuUsage(before)
      spent.push((user + system) / 1000)
      if (removed !== purgeBatchSize) throw new Error(`${job}: ${removed} rows at a step`)
    }
    const values = [Math.max(...taken), median(taken), p99(isHere ? spent : taken)]
    printFigure({ what: table, values, goal: goalStepMs })
  }
  await deps.db.destroy()
}

function p99(taken: readonly number[]): number {
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.99) - 1] ?? 0
}

/** Measures the longest waits of other requests while the service purges, and how long it takes. */
async function purgeInService(store: Store): Promise<void> {
  const node = await startNode(store)
  const caller = callerOf(node.url)
  const now = Date.now()
  const left = async () => {
    const found: string[] = []
    for (const { table, ended } of kinds) {
      const rows = await store.query(
        `select 1 from ${table} where ${ended} < ${now - endedMs / 2} limit 1`,
      )
      if (rows.length > 0) found.push(table)
    }
    return found
  }
  const startedAt = performance.now()
  const quiet = await longestWaits(() => wait(quietMs))
  const gone = new Map<string, number>()
  const busy = await longestWaits(async () => {
    for (;;) {
      const tables = await left()
      for (const { table } of kinds) {
        if (tables.includes(table) || gone.has(table)) continue
        gone.set(table, (performance.now() - startedAt) / 1000)
      }
      if (tables.length === 0) return
      if (performance.now() - startedAt > 600_000) throw new Error(`still there: ${tables}`)
      await wait(500)
    }
  })
  caller.close()
  await node.stop()
  const heads = ['quiet', 'purging', 'more']
  const printFigure = startTable(`${store.name}: ms that others wait at most`, heads)
  const tell = (what: string, before: number, meanwhile: number) =>
    printFigure({ what, values: [before, meanwhile, meanwhile - before], goal: goalWaitMs })
  tell('reader, GET /users/2', quiet.read, busy.read)
  tell('writer, PUT /users/2', quiet.write, busy.write)
  const ends = [...gone].map(([table, seconds]) => `${table} ${seconds.toFixed(0)}`)
  print(`  gone after s, of which the first ${purgeEveryMs / 1000} are waiting: ${ends.join(', ')}`)

  async function longestWaits(work: () => Promise<unknown>) {
    let isDone = false
    const longest = async (method: string, json?: object) => {
      let most = 0
      while (!isDone) {
        const sent = { headers: node.bearer, ...(json && { json }) }
        const { status, milliseconds } = await caller.call(method, '/users/2', sent)
        if (status !== 200) throw new Error(`${method} was answered ${status}`)
        most = Math.max(most, milliseconds)
        await wait(pauseMs)
      }
      return most
    }
    const read = longest('GET')
    const write = longest('PUT', { name: 'Changed' })
    try {
      await work()
    } finally {
      isDone = true
    }
    return { read: await read, write: await write }
  }
}
