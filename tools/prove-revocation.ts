import { startCluster } from '../test/faults/cluster.ts'
import { bearer, type ServiceNode, startNode } from '../test/faults/node.ts'
import { startProxy } from '../test/faults/proxy.ts'
import { waitMs } from '../test/faults/waiting.ts'

/**
 * Measures how long after a logout at one node another node on the same PostgreSQL accepts the
 * token, with both under load, and with the connection of its change feed cut or silent. `npm run
 * prove:revocation [rounds]`; G8.
 */
const rounds = Number(process.argv[2] ?? 200)
const goalMs = 1000
const loadPerNode = 8

const cluster = await startCluster()
const proxy = await startProxy(cluster.socket)
const database = await cluster.createDatabase()
const near = await startNode({ env: { DATABASE_URL: cluster.url(database) } })
const far = await startNode({
  env: { DATABASE_URL: `postgres://gatehouse@127.0.0.1:${proxy.port}/${database}` },
})
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
  await measure('the ear is open', rounds, async () => {})
  await measure('the ear was cut off just before', Math.ceil(rounds / 4), async () => {
    proxy.cut(isEar)
    await waitMs(0)
  })
  await measure(
    'the connection of the change feed is silent',
    Math.ceil(rounds / 8),
    async () => proxy.mute(isEar),
    async () => {
      proxy.cut(isEar)
      await waitMs(1000) // the change feed is connected again
    },
  )
  loading = false
  await Promise.all(load)
  const perSecond = Math.round((requests * 1000) / (performance.now() - startedAt))
  print(`load meanwhile: ${perSecond} requests a second at both nodes together`)
  print(missed === 0 ? 'PASS' : `FAIL: ${missed} goals missed`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  loading = false
  await near.remove()
  await far.remove()
  await proxy.close()
  await cluster.remove()
}

async function measure(
  what: string,
  count: number,
  prepare: () => Promise<void>,
  recover = async () => {},
): Promise<void> {
  const delays: number[] = []
  let acceptedNear = 0
  for (let round = 0; round < count; round += 1) {
    const token = await near.token()
    const headers = bearer(token)
    if (!(await isTaken(far, headers))) throw new Error('the token was never good')
    await prepare()
    const { status } = await near.caller.call('POST', '/logout', { headers })
    if (status !== 200) throw new Error(`the logout was answered ${status}`)
    const answeredAt = performance.now()
    const [delay, taken] = await Promise.all([
      untilRefused(headers, answeredAt),
      isTaken(near, headers),
    ])
    delays.push(delay)
    if (taken) acceptedNear += 1
    await recover()
  }
  delays.sort((a, b) => a - b)
  const at = (part: number) => delays[Math.ceil(delays.length * part) - 1] ?? 0
  const most = delays.at(-1) ?? 0
  if (acceptedNear > 0 || at(0.99) >= goalMs) missed += 1
  print(
    `${what}: ${count} times; the same node took ${acceptedNear} tokens afterwards; the other one refused after p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, at most ${most.toFixed(1)} ms; taken at the first try ${delays.filter((each) => each > 0).length} times`,
  )
}

/** Milliseconds until the last answer that accepted the token; 0 if there was none. */
async function untilRefused(headers: Record<string, string>, since: number): Promise<number> {
  let last = 0
  for (let tries = 0; tries < 20_000; tries += 1) {
    if (!(await isTaken(far, headers))) return last
    last = performance.now() - since
  }
  throw new Error('the other node takes it for good')
}

/** Whether the token is accepted; a 503 of a node without its database is no acceptance. */
async function isTaken({ caller }: ServiceNode, headers: Record<string, string>): Promise<boolean> {
  return (await caller.call('GET', '/api/me', { headers })).status === 200
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
