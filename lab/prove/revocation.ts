import { type RestartableCluster, startCluster } from '../../test/faults/cluster.ts'
import { isReady, type ServiceNode, startNode } from '../../test/faults/node.ts'
import { startProxy } from '../../test/faults/proxy.ts'
import { waitMs, waitUntil } from '../../test/faults/waiting.ts'
import { credentialsOf, mintSettings } from '../drill/credentials.ts'
import {
  type Begun,
  credentialsAt,
  type Ended,
  proofFolder,
  settingsBehindProxy,
  startProxiedApplication,
} from '../drill/revoked.ts'
import { print } from '../growth/table.ts'

/**
 * Ends credentials at one node, several at a time, and counts how often another node on the same
 * PostgreSQL accepts them in a request that is sent after the answer: while all nodes are under load;
 * while the other node stands still, or the connection of its lease is held back, cut or silent; and
 * while PostgreSQL is killed and started. `npm run prove -- revocation [ends of each kind] [nodes]`
 */
const count = Number(process.argv[2] ?? 1000)
const nodes = Number(process.argv[3] ?? 2)
const atOnce = 16
const maxPauseMs = 3000
const loadPerNode = 4

const folder = proofFolder()
const settings = {
  ...mintSettings,
  ...settingsBehindProxy(folder.path),
  DATABASE_TIMEOUT_MS: '10000', // for 16 ends at once on a busy machine
}
const cluster: RestartableCluster = await startCluster()
const proxy = await startProxy(cluster.socket)
const database = await cluster.createDatabase()
const nodeAt = (DATABASE_URL: string) => startNode({ env: { ...settings, DATABASE_URL } })
const near = await nodeAt(cluster.url(database))
const far = await nodeAt(`postgres://gatehouse@127.0.0.1:${proxy.port}/${database}`)
const all: ServiceNode[] = [near, far]
while (all.length < nodes) all.push(await nodeAt(cluster.url(database)))
const made = await credentialsOf(near, cluster.url(database), atOnce)
const application = await startProxiedApplication(folder.path, far)
const isLease = (sent: string) => sent.includes('listen "gatehouse"')
/** Log-uniform, from 3 ms. */
const pauseMs = () => 3 * (maxPauseMs / 3) ** Math.random()

interface Hindrance {
  readonly what: string
  /** The share of all ends of a kind. */
  readonly share: number
  /** Before the ends begin. */
  prepare?(): void
  /** While they are under way; `answered` is the share that has been answered. */
  during?(answered: () => number): Promise<void>
  recover?(): Promise<void>
}

const isConnected = () => waitUntil('the lease', () => proxy.sees(isLease))
const hindrances: readonly Hindrance[] = [
  { what: 'nothing fails', share: 0.4 },
  {
    what: 'the other node stands still for 3 ms to 3 s',
    share: 0.24,
    prepare() {
      const { pid = 0 } = far.service.process
      process.kill(pid, 'SIGSTOP')
      setTimeout(() => process.kill(pid, 'SIGCONT'), pauseMs())
    },
  },
  {
    what: 'the connection of its lease is held back for 3 ms to 3 s',
    share: 0.16,
    prepare: () => proxy.holdBack(isLease, pauseMs()),
    async recover() {
      proxy.cut(isLease)
      await isConnected()
    },
  },
  {
    what: 'the connection of its lease was cut just before',
    share: 0.08,
    prepare: () => proxy.cut(isLease),
    recover: async () => void (await isConnected()),
  },
  {
    what: 'the connection of its lease is silent',
    share: 0.06,
    prepare: () => proxy.mute(isLease),
    async recover() {
      proxy.cut(isLease)
      await isConnected()
    },
  },
  {
    what: 'PostgreSQL is killed and started in the middle',
    share: 0.06,
    async during(answered) {
      const enough = Math.random() * 0.8
      await waitUntil('some answers', () => answered() >= enough, { everyMs: 1 })
      await cluster.end('SIGKILL')
      await cluster.start()
    },
    async recover() {
      for (const node of all) await waitUntil('a node that is ready', () => isReady(node))
    },
  },
]

interface Found {
  readonly answers: number[]
  readonly delays: number[]
  unavailable: number
}

const totals = new Map(hindrances.map(({ what }) => [what, found()]))
let loading = true
let requests = 0
try {
  await measureAll()
} finally {
  loading = false
  await made.close().catch(() => {})
  await application?.close()
  await Promise.all(all.map((node) => node.remove()))
  await proxy.close()
  await cluster.remove()
  folder.remove()
}

async function measureAll(): Promise<void> {
  const load = all.flatMap((node) => Array.from({ length: loadPerNode }, () => loadOf(node)))
  const startedAt = performance.now()
  for (const ended of credentialsAt(far, made)) await measure(ended, count)
  for (const ended of application?.ended ?? []) await measure(ended, Math.ceil(count / 20))
  if (!application) print('nginx is not installed: no application behind it was measured')
  loading = false
  await Promise.all(load)
  const perSecond = Math.round((requests * 1000) / (performance.now() - startedAt))
  print(`\nall kinds, ${nodes} nodes; load: ${perSecond} requests a second`)
  for (const [what, each] of totals) tell(what, each)
  const accepted = [...totals.values()].flatMap(({ delays }) => delays).filter((ms) => ms > 0)
  print(accepted.length === 0 ? 'PASS' : `FAIL: ${accepted.length} accepted after their end`)
  process.exitCode = accepted.length === 0 ? 0 : 1
}

async function loadOf({ caller }: ServiceNode): Promise<void> {
  const [person] = made.people
  if (!person) return
  const { headers } = await made.token(person)
  while (loading) {
    await caller.call('GET', '/api/me', { headers })
    requests += 1
    await waitMs(5) // the load shares the machine with the measurement
  }
}

async function measure(ended: Ended, ends: number): Promise<void> {
  print(`\n${ended.what}`)
  for (const hindrance of hindrances) {
    const here = found()
    const wanted = Math.max(atOnce, Math.ceil(ends * hindrance.share))
    while (here.answers.length + here.unavailable < wanted) {
      const left = wanted - here.answers.length - here.unavailable
      await endTogether(ended, Math.min(atOnce, left), hindrance, here)
    }
    tell(hindrance.what, here)
    const total = totals.get(hindrance.what)
    total?.answers.push(...here.answers)
    total?.delays.push(...here.delays)
    if (total) total.unavailable += here.unavailable
  }
}

async function endTogether(
  { what, begin }: Ended,
  ends: number,
  { prepare, during, recover }: Hindrance,
  here: Found,
): Promise<void> {
  const begun = await Promise.all(Array.from({ length: ends }, () => begin(near)))
  const isGood = await Promise.all(
    begun.flatMap((each) => [each.isTaken(), ...all.map((node) => each.isTakenAt(node))]),
  )
  if (isGood.includes(false))
    throw new Error(`${what}: a node rejects the credential before its end`)
  prepare?.()
  const before = here.answers.length
  const ending = begun.map((each) => endOne(each, here))
  await during?.(() => (here.answers.length - before) / ends)
  await Promise.all(ending)
  await recover?.()
  for (const { restore } of begun) await restore?.()
}

async function endOne(begun: Begun, here: Found): Promise<void> {
  const { status, milliseconds } = await begun.end()
  if (status !== 200) {
    if (status !== 503) throw new Error(`the end was answered ${status}`)
    here.unavailable += 1
    return
  }
  const answeredAt = performance.now()
  here.answers.push(milliseconds)
  const uses = [begun.isTaken, ...all.map((node) => () => begun.isTakenAt(node))]
  here.delays.push(
    Math.max(...(await Promise.all(uses.map((use) => untilRefused(use, answeredAt))))),
  )
}

/** Milliseconds until the last answer that accepted it; 0 if there was none. */
async function untilRefused(isTaken: () => Promise<boolean>, since: number): Promise<number> {
  let last = 0
  for (let tries = 0; tries < 20_000; tries += 1) {
    if (!(await isTaken())) return last
    last = performance.now() - since
  }
  throw new Error('a node still accepts an ended credential')
}

function found(): Found {
  return { answers: [], delays: [], unavailable: 0 }
}

function tell(what: string, { answers, delays, unavailable }: Found): void {
  const sorted = answers.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.ceil(sorted.length * part) - 1] ?? 0).toFixed(0)
  const accepted = delays.filter((each) => each > 0).length
  const late = accepted > 0 ? ` for at most ${Math.max(...delays).toFixed(0)} ms` : ''
  print(
    `  ${what}: ${sorted.length} ends, ${unavailable} answered 503; accepted afterwards ${accepted}${late}; answered after p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`,
  )
}
