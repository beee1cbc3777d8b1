import { setTimeout as wait } from 'node:timers/promises'
import autocannon, { type Client, type Request, type Result } from 'autocannon'
import type { Service } from '../bench/service.ts'
import { password } from './seed.ts'
import { openSide, type Side, startNode } from './side.ts'
import { someUser } from './subjects.ts'
import { print } from './table.ts'

const nodeCounts = [1, 2]
const poolSizes = [2, 5, 10, 20]
const connections = 32
const seconds = 4

/** A load: the request that each connection repeats. */
interface Load {
  readonly name: string
  requests(side: Side, connection: number): Request[]
}

const json = { 'content-type': 'application/json' }

const loads: readonly Load[] = [
  {
    name: 'session reads',
    requests: ({ seeded }, connection) => {
      const cookie = `JSESSIONID=${seeded.cookies[connection % seeded.cookies.length]}`
      const paths = [
        '/api/account',
        `/users/${connection + 5}`,
        '/users?page=2',
        '/api/posts?page=2',
      ]
      return paths.map((path) => ({ method: 'GET', path, headers: { cookie } }))
    },
  },
  {
    name: 'bearer, no database',
    requests: ({ service }) => [{ method: 'GET', path: '/api/me', headers: service.bearer }],
  },
  {
    name: 'user writes',
    requests: (side, connection) => [
      {
        method: 'PUT',
        path: `/users/${someUser(side, connection)}`,
        headers: { ...json, ...side.service.bearer },
        body: JSON.stringify({ name: `Changed ${connection}` }),
      },
    ],
  },
  {
    name: 'logins',
    requests: (side, connection) => [
      {
        method: 'POST',
        path: '/login',
        headers: json,
        body: JSON.stringify({ username: `user${someUser(side, connection)}`, password }),
      },
    ],
  },
]

/**
 * Measures requests per second and the 99th percentile of their duration, by the number of nodes
 * and of connections of each node to PostgreSQL. Nodes, callers and PostgreSQL share the machine.
 */
export async function provePools(users: number): Promise<void> {
  const side = await openSide('PostgreSQL', users)
  print(
    `\nPostgreSQL: ${connections} callers, requests/s (p99 ms) [most connections to the database]`,
  )
  print(`  nodes pool ${loads.map(({ name }) => name.padStart(26)).join('')}`)
  await side.service.stop()
  for (const nodes of nodeCounts) {
    for (const poolSize of poolSizes) {
      const more = { DATABASE_POOL_MAX: String(poolSize), LOGIN_ATTEMPTS: '0' }
      const services: Service[] = []
      for (let node = 0; node < nodes; node += 1) services.push(await startNode(side.store, more))
      const [service = side.service] = services
      const figures: string[] = []
      for (const load of loads) figures.push(await run(load, { ...side, service }, services))
      print(`  ${String(nodes).padStart(5)}${String(poolSize).padStart(5)} ${figures.join('')}`)
      for (const each of services) await each.stop()
    }
  }
  side.caller.close()
  await side.store.close()
}

async function run(load: Load, side: Side, services: readonly Service[]): Promise<string> {
  let isDone = false
  const watching = maxConnections(side, () => isDone)
  const results = await Promise.all(
    services.map(({ url }, node) => {
      const share = connections / services.length
      let connection = node * share
      return autocannon({
        url,
        connections: share,
        duration: seconds,
        setupClient: (client: Client) => {
          client.setRequests(load.requests(side, connection))
          connection += 1
        },
      })
    }),
  )
  isDone = true
  const good = sum(results, (result) => result['2xx'] / result.duration)
  const bad = sum(results, ({ errors, non2xx }) => errors + non2xx)
  const p99 = Math.max(...results.map(({ latency }) => latency.p99))
  const failures = bad > 0 ? ` ${bad} failed` : ''
  return `${good.toFixed(0)} (${p99.toFixed(0)}) [${await watching}]${failures}`.padStart(26)
}

async function maxConnections({ store }: Side, isDone: () => boolean): Promise<number> {
  let most = 0
  while (!isDone()) {
    const [row] = await store.query<{ count: string }>(
      `select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend'`,
    )
    most = Math.max(most, Number(row?.count))
    await wait(200)
  }
  return most
}

function sum(results: readonly Result[], of: (result: Result) => number): number {
  return results.reduce((total, result) => total + of(result), 0)
}
