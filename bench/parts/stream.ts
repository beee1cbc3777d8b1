import { execFileSync } from 'node:child_process'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMegabytes, watchMemory } from '../processes.ts'
import type { Figure, Line } from '../report/figure.ts'
import { open, openDatabase, readText, type Service, service } from '../service.ts'
import { type Plan, takeOnce } from '../turns.ts'

const many = 1_000_000
const goalMegabytes = 150
const goalWaitMs = 250

const about = `\`GET /users\` without page and limit: the JSON array of 1,000,000 users on SQLite, to one reader and to four at once, each as
fast as it reads. Memory is the most that was resident (RSS), the wait that of \`GET /health/live\`, asked every 10 ms while one reader is served.`

/** Measures the whole array of a million users: one reader, then four at once, in a new process. */
export async function stream(plan: Plan): Promise<Figure> {
  const gatehouse = await service(plan.nodeOptions, await directoryWith(many))
  const { result: lines, about: taken } = await takeOnce(plan, async () => [
    ...(await readers(gatehouse, 'one reader', 1)),
    ...(await readers(gatehouse, 'four readers', 4)),
    judged('longest wait of others', await longestWait(gatehouse), 'ms', goalWaitMs),
  ])
  await gatehouse.stop()
  const title = 'The list of all users'
  return { name: 'stream', title, about, unit: 'MB', lines, ...taken }
}

async function readers(gatehouse: Service, what: string, count: number): Promise<Line[]> {
  const startedAt = performance.now()
  const sampled = await watchMemory(gatehouse.pid, () =>
    Promise.all(Array.from({ length: count }, () => readAll(gatehouse))),
  )
  const most = Math.max(sampled, residentMegabytes(gatehouse.pid).peak)
  return [
    judged(`memory, ${what}`, most, 'MB', goalMegabytes),
    { what: `time, ${what}`, values: [performance.now() - startedAt], unit: 'ms' },
  ]
}

function judged(what: string, value: number, unit: 'MB' | 'ms', atMost: number): Line {
  return { what, values: [value], unit, comparisons: [{ to: 'itself', values: [value], atMost }] }
}

/** Milliseconds that other requests wait at most while one reader is served. */
async function longestWait(gatehouse: Service): Promise<number> {
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
  return longestMs
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

/** A data directory of the service with so many users, and as many short posts; created once. */
export async function directoryWith(users: number): Promise<string> {
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
  database
    .prepare(`
      insert into posts (title, body, author_id, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
      select printf('Post %d', n), 'A post of the benchmark.', 1, n, n from numbers
    `)
    .run(users)
  database.exec('commit')
  closeFilled(database)
  directories.set(users, empty.directory)
  return empty.directory
}

/** Closes a database that SQL has filled, and writes it to the disk. */
export function closeFilled(database: DatabaseSync): void {
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
  execFileSync('sync') // nothing of it must be written during the measurement
}
