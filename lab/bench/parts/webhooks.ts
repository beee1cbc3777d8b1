import { loadOf, postJson, send, type Target } from '../load.ts'
import type { Target as TargetKind } from '../peers/webhook-target.ts'
import { type Peer, startPeer } from '../processes.ts'
import type { Figure, Line } from '../report/figure.ts'
import type { Service } from '../service.ts'
import { type Contender, moreOf, type Plan, takeTurns } from '../turns.ts'
import { password, type Seeded, seeded, usernames } from './seeded.ts'

const readsPerSecond = 200
const loginsPerSecond = 5
const connections = 64

const about = `\`GET /api/me\` at ${readsPerSecond} requests a second and logins at ${loginsPerSecond} a second, at fixed times, while every event
goes to webhooks: to none; to one that never answers; to one that answers 1 GB; and to 10,000 that take everything, so that each
login is 10,000 messages, of which most wait. A latency counts from when the request was due. SQLite with 1,000 users.`

interface SetUp {
  readonly name: string
  readonly targets: number
  readonly kind?: TargetKind
}

const setUps: readonly SetUp[] = [
  { name: 'no webhook', targets: 0 },
  { name: 'one that takes everything', targets: 1, kind: 'takes' },
  { name: 'one that never answers', targets: 1, kind: 'silent' },
  { name: 'one that answers 1 GB', targets: 1, kind: 'endless' },
  { name: '10,000 webhooks', targets: 10_000, kind: 'takes' },
]
const [none] = setUps

/** The latency of reads and logins beside webhooks. */
export async function webhooks(plan: Plan): Promise<Figure> {
  const logging = await startPeer('generator.ts')
  const made: { data: Seeded; target: Peer | undefined }[] = []
  const contenders: Contender[] = []
  for (const { name, targets, kind } of setUps) {
    const data = await seeded(plan, 'SQLite', 1000)
    const target = kind && (await startPeer('peers/webhook-target.ts', kind))
    if (target) await withService(data, (service) => addWebhooks(service, target, targets))
    made.push({ data, target })
    contenders.push({
      name,
      // A service for each turn: what waits for webhooks must not be sent in the turn of another.
      run: (seconds) => withService(data, (service) => turn(service, logging, seconds)),
    })
  }
  const longer = { ...plan, seconds: plan.seconds * 5 }
  const turns = await takeTurns(longer, contenders, none?.name ?? '')
  await logging.stop()
  for (const { data, target } of made) {
    await target?.stop()
    await data.close()
  }
  const quantiles = ['reads p50', 'reads p99', 'logins p50', 'logins p99']
  const lines = quantiles.flatMap((quantile) => {
    const base = moreOf(turns, none?.name ?? '', quantile)
    return setUps.map(({ name }): Line => {
      const values = moreOf(turns, name, quantile)
      const ratios = values.map((value, index) => value / (base[index] ?? value))
      const comparisons = [{ to: 'no webhook', values: ratios, atMost: 1.1 }]
      const isJudged = name !== none?.name && quantile.endsWith('p99')
      return { what: `${name}: ${quantile}`, values, ...(isJudged && { comparisons }) }
    })
  })
  return {
    name: 'webhooks',
    title: 'Reads and logins beside webhooks',
    about,
    unit: 'ms',
    lines,
    isLogarithmic: true,
    ...turns.about,
  }
}

async function withService<T>(data: Seeded, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await data.start({ RATE_LIMIT_MAX: '0' })
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

async function turn(service: Service, logging: Peer, seconds: number) {
  const reads = { requests: [{ path: '/api/me', headers: service.bearer }], connections }
  const logins = usernames.map((username) => postJson('/login', { username, password }))
  await loadOf('warm', service, reads).run(0.5)
  await send(service, { requests: logins, connections: 2, count: 5 }, 5, logging)
  const load = { requests: logins, connections, perSecond: loginsPerSecond }
  const loggingIn = send(service, load, seconds, logging)
  const read = await send(service, { ...reads, perSecond: readsPerSecond }, seconds)
  const { latency } = await loggingIn
  return {
    rate: read.answered / read.seconds,
    more: {
      'reads p50': read.latency.p50,
      'reads p99': read.latency.p99,
      'logins p50': latency.p50,
      'logins p99': latency.p99,
    },
  }
}

/** Sets up webhooks that want every event, some at a time. */
async function addWebhooks(service: Service, target: Target, count: number): Promise<void> {
  let left = count
  const one = async () => {
    while (left > 0) {
      left -= 1
      const response = await fetch(`${service.url}/api/admin/webhooks`, {
        method: 'POST',
        headers: { ...service.bearer, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${target.url}/${left}`, events: ['authn_*'] }),
      })
      if (response.status !== 201) throw new Error(`no webhook: ${await response.text()}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, one))
}
