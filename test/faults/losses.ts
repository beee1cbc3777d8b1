import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RestartableCluster } from './cluster.ts'
import type { Reply } from './http.ts'
import { admin, basic, bearer, cookieOf, isReady, type ServiceNode, startNode } from './node.ts'
import { startProxy, type TestNetwork } from './proxy.ts'
import { waitMs, waitUntil } from './waiting.ts'

/** R3: the ways in which a node can lose its PostgreSQL, and how it comes back. */
export const losses = {
  stopped: { lose: ({ cluster }) => cluster.end('SIGINT'), mend: ({ cluster }) => cluster.start() },
  killed: { lose: ({ cluster }) => cluster.end('SIGKILL'), mend: ({ cluster }) => cluster.start() },
  paused: { lose: ({ cluster }) => cluster.pause(), mend: ({ cluster }) => cluster.resume() },
  'cut off': { lose: ({ proxy }) => proxy.become('swallow'), mend: passAgain },
  reset: { lose: ({ proxy }) => proxy.become('reset'), mend: passAgain },
} satisfies Record<string, Loss>

export type LossName = keyof typeof losses

interface Place {
  readonly cluster: RestartableCluster
  readonly proxy: TestNetwork
}

interface Loss {
  lose(place: Place): Promise<void> | void
  mend(place: Place): Promise<void> | void
}

function passAgain({ proxy }: Place): void {
  proxy.become('pass')
}

export interface LossFigures {
  readonly answers: number
  /** What was let in without the check that it needs. Empty is the goal. */
  readonly open: readonly string[]
  /** Answers that are neither a 503 nor a refusal that needs no database. */
  readonly odd: readonly string[]
  /** Of what asks the database, and of what does not: that one tells how busy the machine is. */
  readonly slowestMs: number
  readonly slowestWithoutMs: number
  /** From the moment the database was there again. */
  readonly recoveredMs: number
  readonly maxConnections: number
  readonly exited: boolean
}

export const poolMax = 4
const paceMs = 20

/** A node behind a proxy before its database; may lose it again and again. */
export async function nodeToLoseItsDatabase(cluster: RestartableCluster, timeoutMs: number) {
  const proxy = await startProxy(cluster.socket)
  const database = await cluster.createDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-forward-'))
  const rules = join(folder, 'forward.json')
  const rule = { hosts: ['127.0.0.1', 'localhost'], policy: 'one_factor' }
  writeFileSync(rules, JSON.stringify({ rules: [rule] }))
  const node = await startNode({
    env: {
      TRUST_PROXY: '127.0.0.1',
      FORWARD_AUTH_FILE: rules,
      DATABASE_URL: `postgres://gatehouse@127.0.0.1:${proxy.port}/${database}`,
      DATABASE_POOL_MAX: String(poolMax),
      DATABASE_TIMEOUT_MS: String(timeoutMs),
      LOGIN_ATTEMPTS: '5',
    },
  })
  const proofs = await prove(node)
  return {
    node,
    proxy,
    /** Until so much time has passed, and each kind of request was answered so often. */
    loseDatabase: (name: LossName, enough: { awayMs: number; each: number }) =>
      loseDatabase({ node, proxy, cluster, proofs, name, enough }),
    async remove() {
      await node.remove()
      await proxy.close()
      rmSync(folder, { recursive: true })
    },
  }
}

interface Proofs {
  readonly token: string
  readonly revoked: string
  readonly cookie: string
}

async function prove(node: ServiceNode): Promise<Proofs> {
  const token = await node.token()
  const revoked = await node.token()
  await node.caller.call('POST', '/logout', { headers: bearer(revoked) })
  const session = await node.login('session')
  return {
    token,
    revoked,
    cookie: cookieOf(session),
  }
}

/** What a proxy tells of a request to an application, by a credential. */
function asked(credential: Readonly<Record<string, string>>, host = '127.0.0.1') {
  return {
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
    'x-forwarded-uri': '/',
    'x-forwarded-method': 'GET',
    ...credential,
  }
}

async function loseDatabase({
  node,
  proxy,
  cluster,
  proofs,
  name,
  enough,
}: {
  readonly node: ServiceNode
  readonly proxy: TestNetwork
  readonly cluster: RestartableCluster
  readonly proofs: Proofs
  readonly name: LossName
  readonly enough: { readonly awayMs: number; readonly each: number }
}): Promise<LossFigures> {
  const { caller } = node
  // Of each loss its own: to end a token that has ended is a truthful 200 without a database.
  const leaving = await node.token()
  const json = { name: 'during the loss', email: 'during@example.org' }
  /** Whether an answer is right while there is no database. */
  const requests: Record<string, { send(): Promise<Reply>; mayBe: readonly number[] }> = {
    'right login': { send: () => node.login('token'), mayBe: [] },
    'wrong login': {
      send: () => node.login('session', { ...admin, password: 'not the password' }),
      mayBe: [],
    },
    'login of another': {
      send: () => node.login('session', { username: `other${Math.random()}`, password: 'no' }),
      mayBe: [],
    },
    Basic: { send: () => caller.call('GET', '/users?limit=1', { headers: basic }), mayBe: [] },
    session: {
      send: () => caller.call('GET', '/api/session', { headers: { cookie: proofs.cookie } }),
      mayBe: [],
    },
    // Until a node takes itself for blind, and it has seen the end of the token by itself.
    'revoked token': {
      send: () => caller.call('GET', '/api/me', { headers: bearer(proofs.revoked) }),
      mayBe: [401],
    },
    'forged token': {
      send: () => caller.call('GET', '/api/me', { headers: bearer(`${proofs.token}x`) }),
      mayBe: [401],
    },
    'good token, with the database': {
      send: () => caller.call('GET', '/users?limit=1', { headers: bearer(proofs.token) }),
      mayBe: [],
    },
    'session, asked for by a proxy': {
      send: () =>
        caller.call('GET', '/api/authz/forward', { headers: asked({ cookie: proofs.cookie }) }),
      mayBe: [],
    },
    'session of a host, asked for by a proxy': {
      send: () => {
        const headers = asked({ cookie: `__Host-gatehouse=${'a'.repeat(43)}` }, 'localhost')
        return caller.call('GET', '/api/authz/forward', { headers })
      },
      mayBe: [],
    },
    'Basic, asked for by a proxy': {
      send: () => caller.call('GET', '/api/authz/forward', { headers: asked(basic) }),
      mayBe: [],
    },
    'revoked token, asked for by a proxy': {
      send: () =>
        caller.call('GET', '/api/authz/forward', { headers: asked(bearer(proofs.revoked)) }),
      mayBe: [401],
    },
    write: {
      send: () => caller.call('POST', '/users', { headers: bearer(proofs.token), json }),
      mayBe: [],
    },
    logout: {
      send: () => caller.call('POST', '/logout', { headers: bearer(leaving) }),
      mayBe: [401], // asked for before, not answered, and done
    },
    ready: { send: () => caller.call('GET', '/health/ready'), mayBe: [] },
    live: { send: () => caller.call('GET', '/health/live'), mayBe: [200] },
  }
  const open: string[] = []
  const odd: string[] = []
  const answers = new Map(Object.keys(requests).map((what) => [what, 0]))
  let slowestMs = 0
  let slowestWithoutMs = 0
  let isOver = false
  const place = { cluster, proxy }
  await losses[name].lose(place)
  const load = Object.entries(requests).flatMap(([what, { send, mayBe }]) =>
    Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const reply = await send()
        if (isOver) return // the database may be back
        answers.set(what, (answers.get(what) ?? 0) + 1)
        if (what === 'live') slowestWithoutMs = Math.max(slowestWithoutMs, reply.milliseconds)
        else slowestMs = Math.max(slowestMs, reply.milliseconds)
        await waitMs(paceMs) // how long the database takes is asked, not how fast the machine is
        const told = `${what}: ${reply.status} ${reply.fault}`
        if (reply.status === 503 || mayBe.includes(reply.status)) continue
        if (reply.status >= 200 && reply.status < 300) open.push(told)
        else odd.push(told)
      }
    }),
  )
  await waitMs(enough.awayMs)
  await waitUntil('answers', () => answers.values().every((count) => count >= enough.each), {
    patienceMs: 30_000,
  })
  isOver = true
  await losses[name].mend(place)
  const recoveredMs = await waitUntil(
    'recovery',
    async () => {
      if (!(await isReady(node))) return false
      const { status } = await caller.call('GET', '/users?limit=1', { headers: basic })
      return status === 200 && (await node.login('token')).status === 200
    },
    { patienceMs: 30_000 },
  )
  await Promise.all(load)
  const { exitCode, signalCode } = node.service.process
  return {
    answers: answers.values().reduce((sum, count) => sum + count, 0),
    open,
    odd,
    slowestMs,
    slowestWithoutMs,
    recoveredMs,
    maxConnections: proxy.most(),
    exited: exitCode !== null || signalCode !== null,
  }
}
