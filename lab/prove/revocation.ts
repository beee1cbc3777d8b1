import { startCluster } from '../../test/faults/cluster.ts'
import { bearer, startNode } from '../../test/faults/node.ts'
import { startProxy } from '../../test/faults/proxy.ts'
import { waitMs } from '../../test/faults/waiting.ts'
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
 * Ends credentials at one node, and counts how often another node on the same PostgreSQL accepts
 * them in a request that is sent after the answer: with all nodes under load, with the connection
 * of the other node's lease cut or silent, and with the other node stopped. The same for requests
 * to an application behind nginx that asks the other node. `npm run prove -- revocation [rounds]
 * [nodes]`
 */
const rounds = Number(process.argv[2] ?? 200)
const nodes = Number(process.argv[3] ?? 2)
const maxPauseMs = 3000
const isQuiet = process.argv[4] === 'quiet'
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
const more = await Promise.all(
  Array.from({ length: nodes - 2 }, () =>
    startNode({ env: { ...settings, DATABASE_URL: cluster.url(database) } }),
  ),
)
const application = await startProxiedApplication(folder.path, far)
const isLease = (sent: string) => sent.includes('listen gatehouse')
let missed = 0
let loading = true
let requests = 0
try {
  const headers = bearer(await near.token())
  const loaded = isQuiet ? [] : [near, far, ...more]
  const load = loaded.flatMap(({ caller }) =>
    Array.from({ length: loadPerNode }, async () => {
      while (loading) {
        await caller.call('GET', '/api/me', { headers })
        requests += 1
        await waitMs(1) // the load shares the machine with the measurement
      }
    }),
  )
  const startedAt = performance.now()
  for (const ended of [...credentialsAt(far), ...(application?.ended ?? [])])
    await measureAll(ended)
  if (!application) print('nginx is not installed: no application was measured')
  loading = false
  await Promise.all(load)
  const perSecond = Math.round((requests * 1000) / (performance.now() - startedAt))
  print(`load meanwhile: ${perSecond} requests a second at all nodes together`)
  print(missed === 0 ? 'PASS' : `FAIL: ${missed} goals missed`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  loading = false
  await application?.close()
  await near.remove()
  await Promise.all([far, ...more].map((node) => node.remove()))
  await proxy.close()
  await cluster.remove()
  folder.remove()
}

async function measureAll(ended: Ended): Promise<void> {
  await measure(ended, 'nothing fails', rounds, async () => {})
  await measure(
    ended,
    'the connection of the lease was cut just before',
    Math.ceil(rounds / 4),
    async () => {
      proxy.cut(isLease)
      await waitMs(0)
    },
  )
  await measure(
    ended,
    'the connection of the lease is silent',
    Math.ceil(rounds / 8),
    async () => proxy.mute(isLease),
    async () => {
      proxy.cut(isLease)
      await waitMs(1000) // it is connected again
    },
  )
  await measure(
    ended,
    'the other node stands still for up to 3 s',
    Math.ceil(rounds / 4),
    async () => {
      const { pid = 0 } = far.service.process
      process.kill(pid, 'SIGSTOP')
      setTimeout(() => process.kill(pid, 'SIGCONT'), 3 * (maxPauseMs / 3) ** Math.random())
    },
  )
}

async function measure(
  { what, begin }: Ended,
  when: string,
  count: number,
  prepare: () => Promise<void>,
  recover = async () => {},
): Promise<void> {
  const delays: number[] = []
  const answers: number[] = []
  let acceptedNear = 0
  for (let round = 0; round < count; round += 1) {
    const begun = await begin(near)
    if (!(await begun.isTaken())) throw new Error(`${what} was never good`)
    await prepare()
    const askedAt = performance.now()
    const { status } = await begun.end()
    if (status !== 200) throw new Error(`the end was answered ${status}`)
    const answeredAt = performance.now()
    answers.push(answeredAt - askedAt)
    const [delay, taken] = await Promise.all([
      untilRefused(begun, answeredAt),
      begun.isTakenAt(near),
    ])
    delays.push(delay)
    if (taken) acceptedNear += 1
    await recover()
  }
  answers.sort((a, b) => a - b)
  const at = (part: number) => (answers[Math.ceil(answers.length * part) - 1] ?? 0).toFixed(1)
  const accepted = delays.filter((each) => each > 0).length
  if (acceptedNear + accepted > 0) missed += 1
  print(
    `${what}, ${when}: ${count} times; accepted afterwards at the same node ${acceptedNear}, at the other node ${accepted} times, for at most ${Math.max(0, ...delays).toFixed(1)} ms; the end was answered after p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`,
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
