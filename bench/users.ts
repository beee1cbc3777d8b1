import { setTimeout as wait } from 'node:timers/promises'
import { residentMegabytes, watchMemory } from './processes.ts'
import { atMost, duel, load, memoryAtMost, type Row } from './rounds.ts'
import { open, openDatabase, readText, type Service, service } from './service.ts'

const many = 1_000_000
const few = 1_000
const connections = 8
const rounds = 5
const seconds = 1
const pageSize = 10

/** Measures the first page at a million users and at a thousand, and a deep page by cursor. */
export async function pages(nodeOptions: readonly string[]): Promise<Row[]> {
  const small = await service(nodeOptions, await directoryWith(few))
  const large = await service(nodeOptions, await directoryWith(many))
  const first = `/users?page=1&limit=${pageSize}`
  const rows = [
    atMost(
      'page 1 of 1,000,000 users : of 1,000',
      await duel(rounds, read(large, first), read(small, first)),
      1.5,
    ),
  ]
  await small.stop()
  for (const sort of ['id', 'name']) {
    const near = await cursorAfter(large, sort, 10)
    const deep = await cursorAfter(large, sort, 900_000)
    rows.push(
      atMost(
        `v2 cursor at 900,000 by ${sort} : at 10`,
        await duel(rounds, read(large, deep), read(large, near)),
        1.2,
      ),
    )
  }
  await large.stop()
  return rows
}

/** Measures the whole array of a million users: one reader, then four at once, in a new process. */
export async function stream(nodeOptions: readonly string[]): Promise<Row[]> {
  const gatehouse = await service(nodeOptions, await directoryWith(many))
  const row = async (what: string, readers: number) => {
    const startedAt = performance.now()
    const sampled = await watchMemory(gatehouse.pid, () =>
      Promise.all(Array.from({ length: readers }, () => readAll(gatehouse))),
    )
    const seconds = (performance.now() - startedAt) / 1000
    const most = Math.max(sampled, residentMegabytes(gatehouse.pid).peak)
    return memoryAtMost(`memory of ${what} (${seconds.toFixed(1)} s)`, most, 150)
  }
  const rows = [
    await row('the array of 1,000,000 users', 1),
    await row('four such arrays at once', 4),
    await longestWait(gatehouse),
  ]
  await gatehouse.stop()
  return rows
}

/** Measures how long other requests wait while one reader is served. */
async function longestWait(gatehouse: Service): Promise<Row> {
  let reading = true
  const done = readAll(gatehouse).finally(() => {
    reading = false
  })
  let longestMs = 0
  while (reading) {
    const askedAt = performance.now()
    await readText(await open(`${gatehouse.url}/health/live`, {}))
    longestMs = Math.max(longestMs, performance.now() - askedAt)
    await wait(10)
  }
  await done
  return {
    what: 'longest wait of others meanwhile',
    ours: `${longestMs.toFixed(0)} ms`,
    peer: '',
    ratio: '',
    goal: '<= 250 ms',
    ok: longestMs <= 250,
  }
}

function read({ url, bearer }: Service, path: string): () => Promise<number> {
  return () => load({ url: url + path, connections, duration: seconds, headers: bearer })
}

/** The path of the page that follows the first `depth` users. */
async function cursorAfter({ url, bearer }: Service, sort: string, depth: number): Promise<string> {
  const path = `/api/v2/users?sort=${sort}&limit=${pageSize}`
  const page = await readText(await open(`${url}${path}&page=${depth / pageSize}`, bearer))
  const { next } = JSON.parse(page)
  if (typeof next !== 'string') throw new Error(`no cursor at ${depth}`)
  return `${path}&cursor=${next}`
}

/** Reads the whole array and discards it. @throws Error if it is incomplete */
async function readAll({ url, bearer }: Service): Promise<void> {
  const response = await open(`${url}/users`, bearer)
  const total = Number(response.headers['x-total-count'])
  let objects = 0
  let last = 0
  for await (const chunk of response) {
    const bytes: Buffer = chunk
    for (const byte of bytes) if (byte === closingBrace) objects += 1
    last = bytes.at(-1) ?? last
  }
  if (total < many || objects !== total || last !== closingBracket) {
    throw new Error(`the array ended after ${objects} of ${total} users`)
  }
}

const closingBrace = 0x7d
const closingBracket = 0x5d

const directories = new Map<number, string>()

/** A data directory of the service, filled up to a number of users; created once. */
async function directoryWith(users: number): Promise<string> {
  const known = directories.get(users)
  if (known !== undefined) return known
  const empty = await service([])
  await empty.stop()
  const database = openDatabase(empty.directory)
  database.exec('pragma synchronous = off; pragma cache_size = -262144; begin')
  // The order by name differs from the order by id.
  database
    .prepare(`
      insert into users (name, email, name_key, email_key)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
      select printf('User %07d', p), printf('user.%d@example.org', n),
             printf('user %07d', p), printf('user.%d@example.org', n)
      from (select n, n * 7919 % 1000003 as p from numbers)
    `)
    .run(users)
  database.exec('commit; pragma wal_checkpoint(truncate)')
  database.close()
  directories.set(users, empty.directory)
  return empty.directory
}
