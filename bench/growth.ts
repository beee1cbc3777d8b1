import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/config/load.ts'
import { purgeBatchSize } from '../src/room/jobs.ts'
import { loadParts } from '../src/room/serve.ts'
import { settingsOfRooms } from '../src/room/settings.ts'
import { rooms } from '../src/rooms.ts'
import { systemDeps } from '../src/runtime/deps.ts'
import { createServices } from '../src/services.ts'
import { meter } from './processes.ts'
import { load, median, type Row } from './rounds.ts'
import { open, openDatabase, readText, type Service, service } from './service.ts'

const many = 1_000_000
const few = 1_000
const pageSize = 20
const rounds = 3
const seconds = 0.3
const connections = 4
const postsOfOne = 100_000
const expired = 30_000
const maxPageRatio = 30
const maxCursorRatio = 2
const maxStepMs = 5

/**
 * Measures pages far behind, by number and by cursor, beside the first page of the same list: the
 * processor time of the service for one answer, which other load of the machine changes little.
 */
export async function deepPages(nodeOptions: readonly string[]): Promise<Row[]> {
  const directory = newDirectory()
  const small = await seeded(nodeOptions, join(directory, 'few'), few)
  const large = await seeded(nodeOptions, join(directory, 'many'), many)
  const rows: Row[] = []
  for (const [what, path] of lists) {
    const first = await costOf(large, `${path}limit=${pageSize}&page=1`)
    const start = await costOf(small, `${path}limit=${pageSize}&page=1`)
    rows.push(ratioRow(`${what}, page 1 of 10^6 : of 10^3`, first, start, 1.5))
    for (const share of [0.5, 0.9, 1]) {
      const page = Math.floor((many * share) / pageSize)
      const deep = await costOf(large, `${path}limit=${pageSize}&page=${page}`)
      rows.push(ratioRow(`${what}, page ${page} : page 1`, deep, first, maxPageRatio))
    }
  }
  for (const sort of ['id', '-name', 'email']) {
    const path = `/api/v2/users?sort=${sort}&limit=${pageSize}`
    const first = await costOf(large, path)
    const next = await nextOf(large, `${path}&page=${(many * 0.9) / pageSize}`)
    const deep = await costOf(large, `${path}&cursor=${next}`)
    rows.push(
      ratioRow(`users v2 by ${sort}, cursor behind 900,000 : page 1`, deep, first, maxCursorRatio),
    )
  }
  await small.stop()
  await large.stop()
  rmSync(directory, { recursive: true, force: true })
  return rows
}

/**
 * Measures the steps in which rows are purged, and in which what a deleted user with 100,000 posts
 * has left is cleared, beside 1,000,000 users: the jobs run in this process, on SQLite, where a step
 * holds up all requests. A step is its processor time; the checkpoint of the file, which falls on one
 * of several hundred commits, is told apart.
 */
export async function steps(): Promise<Row[]> {
  const directory = newDirectory()
  const running = await seeded([], directory, many)
  const id = fillForSteps(directory)
  const { url, bearer } = running
  const removal = await fetch(`${url}/users/${id}`, { method: 'DELETE', headers: bearer })
  if (removal.status !== 200) throw new Error(`no deletion: ${await removal.text()}`)
  await running.stop()

  const settings = { DATA_DIR: directory, LOG_LEVEL: 'warn' }
  const deps = systemDeps(loadConfig(settings, await settingsOfRooms(rooms)))
  const services = await createServices(deps, { rooms })
  const needs = { ...deps, ...services }
  const loaded = await loadParts(rooms)
  const rows: Row[] = []
  for (const job of loaded.flatMap(({ jobs }) => jobs?.(needs) ?? [])) {
    if (!('purge' in job)) continue
    const taken: number[] = []
    for (let more = true; more && taken.length < 2000; ) {
      const before = process.cpuUsage()
      more = (await job.purge(purgeBatchSize)) === purgeBatchSize
      const { user, system } = process.cpuUsage(before)
      taken.push((user + system) / 1000)
    }
    if (taken.length > 20) rows.push(stepRow(job.name, taken))
  }
  await deps.db.destroy()
  rmSync(directory, { recursive: true, force: true })
  return rows
}

const lists = [
  ['users by id', '/users?'],
  ['users v2 by -id', '/api/v2/users?sort=-id&'],
  ['users v2 by name', '/api/v2/users?sort=name&'],
  ['users v2 by -email', '/api/v2/users?sort=-email&'],
  ['posts', '/api/posts?'],
] as const

/** The processor time of an answer in microseconds: the median of some rounds. */
async function costOf(gatehouse: Service, path: string): Promise<number> {
  const taken: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const spent = meter(gatehouse)
    const url = gatehouse.url + path
    await spent.count(() =>
      load({ url, connections, duration: seconds, headers: gatehouse.bearer }),
    )
    if (round > 0) taken.push(spent.microseconds())
  }
  return median(taken)
}

async function nextOf({ url, bearer }: Service, path: string): Promise<string> {
  const { next } = JSON.parse(await readText(await open(url + path, bearer)))
  if (typeof next !== 'string') throw new Error(`no page follows ${path}`)
  return next
}

/** A service with as many users and posts, which are counted in blocks. */
async function seeded(
  nodeOptions: readonly string[],
  directory: string,
  count: number,
): Promise<Service> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const empty = await service(nodeOptions, directory)
  await empty.stop()
  const database = openDatabase(directory)
  database.exec('pragma synchronous = off; pragma cache_size = -262144; begin')
  const numbers =
    'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)'
  database
    .prepare(`
      insert into users (name, email, name_key, email_key) ${numbers}
      select printf('User %07d', p), printf('user.%d@example.org', n),
             printf('user %07d', p), printf('user.%d@example.org', n)
      from (select n, n * 7919 % 1000003 as p from numbers)`)
    .run(count)
  database
    .prepare(`
      insert into posts (title, body, author_id, created_at, updated_at) ${numbers}
      select printf('Post %d', n), replace(hex(zeroblob(100)), '00', 'ab'), 1, n, n from numbers`)
    .run(count)
  // What the job would do in a minute: one block for each list, which it splits.
  database.exec('delete from list_changes; delete from list_blocks where row_id <> 0')
  for (const table of ['users', 'posts', 'accounts']) {
    database.exec(`update list_blocks set total = (select count(*) from ${table})
      where list like '${table} %'`)
  }
  database.exec('commit; pragma wal_checkpoint(truncate)')
  const largest = database.prepare('select max(total) as total from list_blocks')
  const running = await service(nodeOptions, directory)
  for (;;) {
    const row: unknown = largest.get()
    const total = row && typeof row === 'object' && 'total' in row ? Number(row.total) : 0
    if (total <= 5000) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  database.close()
  return running
}

/** Fills tables with expired rows, and gives one user very many posts; answers its id. */
function fillForSteps(directory: string): number {
  const database = openDatabase(directory)
  const hex = 'lower(hex(randomblob(16)))'
  const text = `substr(${hex} || ${hex}, 1, 43)`
  const numbers = `from (with recursive numbers (n) as
    (select 1 union all select n + 1 from numbers where n < ${expired}) select n from numbers)`
  const ended = Date.now() - 72 * 3_600_000
  const id = 500_000
  database.exec('pragma synchronous = off; pragma cache_size = -262144; begin')
  database.exec(`
    update posts set author_id = ${id} where id % ${many / postsOfOne} = 0;
    insert into sessions (id, user_id, csrf_token, created_at, last_seen_at, address, user_agent)
      select ${text}, 1, ${text}, ${ended} + n, ${ended} + n, '192.0.2.1', 'Mozilla/5.0' ${numbers};
    insert into throttle_places (username, address, taken_at, pending, expires_at)
      select ${text}, '192.0.2.1', ${ended}, 0, ${ended} + n ${numbers};
    insert into revocations (token, expires_at) select ${hex}, ${ended} + n ${numbers};
    insert into flows (id, browser, purpose, provider, sealed, return_to, expires_at)
      select ${text}, ${text}, 'sign_in', 'default', ${text}, '/', ${ended} + n ${numbers};
    insert into idempotency_keys (id, fingerprint, answer, expires_at)
      select ${text}, ${text}, '{"id":1,"name":"A"}', ${ended} + n ${numbers};
    commit`)
  database.close()
  return id
}

function ratioRow(what: string, ours: number, peer: number, goal: number): Row {
  const ratio = ours / peer
  return {
    what,
    ours: `${ours.toFixed(0)} us`,
    peer: `${peer.toFixed(0)} us`,
    ratio: ratio.toFixed(2),
    goal: `<= ${goal}`,
    ok: ratio <= goal,
  }
}

function stepRow(name: string, taken: readonly number[]): Row {
  const sorted = taken.toSorted((one, other) => one - other)
  const p99 = sorted[Math.floor(sorted.length * 0.99) - 1] ?? 0
  return {
    what: `step of ${name}, of ${taken.length}: 99 of 100`,
    ours: `${p99.toFixed(1)} ms`,
    peer: `median ${median(taken).toFixed(1)}, with checkpoint ${(sorted.at(-1) ?? 0).toFixed(1)} ms`,
    ratio: '',
    goal: `<= ${maxStepMs} ms`,
    ok: p99 <= maxStepMs,
  }
}

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
}
