import { startCluster } from '../../test/faults/cluster.ts'
import { bearer, startNode } from '../../test/faults/node.ts'
import { startProxy } from '../../test/faults/proxy.ts'
import { waitMs } from '../../test/faults/waiting.ts'
import {
  type Begun,
  type Ended,
  proofFolder,
  settingsBehindProxy,
  startProxiedApplication,
  tokenAt,
} from '../drill/revoked.ts'
import { print } from '../growth/table.ts'

/**
 * Measures how long after a logout at one node another node on the same PostgreSQL accepts the
 * token, with both under load, and with the connection of its change feed cut or silent; and how
 * long a request still reaches an application behind nginx that asks the other node. `npm run
 * prove -- revocation [rounds]`; G8.
 */
const rounds = Number(process.argv[2] ?? 200)
const loadPerNode = 8

const folder = proofFolder()
const settings = settingsBehindProxy(folder.path)
const cluster = await startCluster()
const proxy = await startProxy(cluster.socket)
const database = await cluster.createDatabase()
const near = await startNode({ env: { ...settings, DATABASE_URL: cluster.url(database) } })
const far = await startNode({
  env: { ...settings, DATABASE_URL: `postgres://gatehouse@127.0.0.1:${proxy.port}/${database}` },
})
const application = await startProxiedApplication(folder.path, far)
const isEar = (sent: string) => sent.includes('listen gatehouse')
let missed = 0
let loading = true
let requests = 0
try {
  const headers = bearer(await near.token())
  const load = [near, far].flatMap(({ caller }) =>
    Array.from({ length: loadPerNode }, async () => {
      while (loading) {
        await caller.call('GET', '/api/me', { headers })
        requests += 1
        await waitMs(1) // the load shares the machine with the measurement
      }
    }),
  )
  const startedAt = performance.now()
  for (const ended of [tokenAt(far), ...(application?.ended ?? [])]) await measureAll(ended)
  if (!application) print('nginx is not installed: no application was measured')
  loading = false
  await Promise.all(load)
  const perSecond = Math.round((requests * 1000) / (performance.now() - startedAt))
  print(`load meanwhile: ${perSecond} requests a second at both nodes together`)
  print(missed === 0 ? 'PASS' : `FAIL: ${missed} goals missed`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  loading = false
  await application?.close()
  await near.remove()
  await far.remove()
  await proxy.close()
  await cluster.remove()
  folder.remove()
}

async function measureAll(ended: Ended): Promise<void> {
  await measure(ended, 'the ear is open', rounds, async () => {})
  await measure(ended, 'the ear was cut off just before', Math.ceil(rounds / 4), async () => {
    proxy.cut(isEar)
    await waitMs(0)
  })
  await measure(
    ended,
    'the connection of the change feed is silent',
    Math.ceil(rounds / 8),
    async () => proxy.mute(isEar),
    async () => {
      proxy.cut(isEar)
      await waitMs(1000) // the change feed is connected again
    },
  )
}

async function measure(
  { what, goalMs, begin }: Ended,
  when: string,
  count: number,
  prepare: () => Promise<void>,
  recover = async () => {},
): Promise<void> {
  const delays: number[] = []
  let acceptedNear = 0
  for (let round = 0; round < count; round += 1) {
    const begun = await begin(near)
    if (!(await begun.isTaken())) throw new Error(`${what} was never good`)
    await prepare()
    const { status } = await begun.end()
    if (status !== 200) throw new Error(`the logout was answered ${status}`)
    const answeredAt = performance.now()
    const [delay, taken] = await Promise.all([
      untilRefused(begun, answeredAt),
      begun.isTakenAt(near),
    ])
    delays.push(delay)
    if (taken) acceptedNear += 1
    await recover()
  }
  delays.sort((a, b) => a - b)
  const at = (part: number) => delays[Math.ceil(delays.length * part) - 1] ?? 0
  const most = delays.at(-1) ?? 0
  if (acceptedNear > 0 || at(0.99) > goalMs) missed += 1
  print(
    `${what}, ${when}: ${count} times; the same node took ${acceptedNear} afterwards; the other one refused after p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, at most ${most.toFixed(1)} ms; taken at the first try ${delays.filter((each) => each > 0).length} times`,
  )
}

/** Milliseconds until the last answer that accepted it; 0 if there was none. */
async function untilRefused(begun: Begun, since: number): Promise<number> {
  let last = 0
  for (let tries = 0; tries < 20_000; tries += 1) {
    if (!(await begun.isTaken())) return last
    last = performance.now() - since
  }
  throw new Error('the other node takes it for good')
}
