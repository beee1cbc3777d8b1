import { setTimeout as wait } from 'node:timers/promises'
import type { Outcome } from '../generator.ts'
import { loadOf, postJson, type Request, send, type Target } from '../load.ts'
import { startPeer } from '../processes.ts'
import type { Figure, Line } from '../report/figure.ts'
import { type Contender, moreOf, type Plan, takeTurns } from '../turns.ts'
import { bare } from './reads.ts'
import { password, seeded, sessionOf, userIds, usernames } from './seeded.ts'

const waiting = 300
const readsPerSecond = 200
const connections = 64
/** What the service asks for by Retry-After. */
const pauseMs = 1000
/** The queue is full before the reads begin. */
const leadSeconds = 0.3

const about = `Latency at half of the rate that the server reaches in the same run (p50, p99 and p99.9): requests are due at fixed times,
whether or not the ones before are answered, and a latency counts from when the request was due, so that a request that
waits for a free connection counts in full (no coordinated omission). The last lines are of \`GET /api/me\` at 200
requests a second, alone and while 300 clients log in without a pause: two hashes run at a time, 128 logins wait in
the queue, and the others are told to come back after a second (503), which they do. SQLite with 100,000 users.`

export async function latency(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 100_000)
  const service = await data.start()
  const headers = service.bearer
  const bareServer = await bare(service, '/api/me', headers, true)
  const session = await sessionOf(service)
  const users = userIds.map((id) => ({ path: `/users/${id}`, headers }))
  const reads: [string, Target, Request[], boolean][] = [
    ['GET /api/me', service, [{ path: '/api/me', headers }], false],
    ['GET /api/protected', service, [{ path: '/api/protected', headers: session }], false],
    ['GET /users/{id}', service, users, false],
    ['bare node:http, same headers', bareServer, [{ path: '/api/me', headers }], true],
  ]
  const contenders: Contender[] = []
  for (const [name, target, requests, isPeer] of reads) {
    const full = loadOf(name, target, { requests })
    await full.run(plan.seconds)
    const { rate } = await full.run(plan.seconds)
    const perSecond = Math.round(rate / 2)
    contenders.push({
      name: `${name}, ${perSecond.toLocaleString('en-US')}/s`,
      isPeer,
      run: async (seconds) =>
        sampleOf(await send(target, { requests, connections, perSecond }, seconds / 2)),
    })
  }
  const me = [{ path: '/api/me', headers }]
  const few = { requests: me, connections, perSecond: readsPerSecond }
  const second = await startPeer('generator.ts')
  const logins = usernames.map((username) => postJson('/login', { username, password }))
  contenders.push(
    {
      name: alone,
      run: async (seconds) => sampleOf(await send(service, few, seconds)),
    },
    {
      name: beside,
      async run(seconds) {
        const load = { requests: logins, connections: waiting, statuses: [200, 503], pauseMs }
        const loggingIn = send(service, load, seconds + leadSeconds, second)
        await wait(leadSeconds * 1000)
        const outcome = await send(service, few, seconds)
        const { statuses, seconds: taken } = await loggingIn
        const sample = sampleOf(outcome)
        return { ...sample, more: { ...sample.more, logins: (statuses[200] ?? 0) / taken } }
      },
    },
  )
  const longer = { ...plan, seconds: plan.seconds * 2 }
  const turns = await takeTurns(longer, contenders, alone)
  await second.stop()
  await bareServer.stop()
  await service.stop()
  await data.close()
  const lines = contenders.flatMap(({ name, isPeer }) =>
    (['p50', 'p99', 'p99.9'] as const).map((quantile): Line => {
      const values = moreOf(turns, name, quantile)
      return { what: `${name}: ${quantile}`, values, ...(isPeer ? { isPeer } : {}) }
    }),
  )
  return {
    name: 'latency',
    title: 'Latency at half load, and beside 300 logins',
    about,
    unit: 'ms',
    lines: [
      ...lines,
      { what: `logins meanwhile`, values: moreOf(turns, beside, 'logins'), unit: 'requests/s' },
    ],
    isLogarithmic: true,
    ...turns.about,
  }
}

const alone = `GET /api/me, ${readsPerSecond}/s`
const beside = `${alone}, beside ${waiting} logins`

function sampleOf({ answered, seconds, latency }: Outcome) {
  const { p50, p99, p999 } = latency
  return { rate: answered / seconds, more: { p50, p99, 'p99.9': p999 } }
}
