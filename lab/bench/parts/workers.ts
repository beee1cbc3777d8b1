import { databases } from '../../growth/store.ts'
import { loadOf, postJson, type Request } from '../load.ts'
import { memoryOfTree } from '../memory.ts'
import type { Figure, Line } from '../report/figure.ts'
import { type Contender, type Goal, linesOf, type Plan, takeTurns } from '../turns.ts'
import { knowsSetting, password, seeded, sessionOf, userIds, usernames } from './seeded.ts'

const about = `Requests per second of processor time, of all processes of the service without those of PostgreSQL, with one process and with
\`WORKERS=2\`, on both databases with 100,000 users, with 32 connections that send as fast as they are answered: the generator shares
the cores, so that processor time is compared and not rates. The first two reads
are answered from memory on both databases. The memory is that of all processes of the service after these loads: PSS divides a page that several processes share among them, and is what they take from the machine; RSS counts it in each.`

const warmSeconds = 1
/** Answered from memory on both databases. */
const keptReads = new Set(['GET /api/me', 'GET /api/protected'])

export async function workers(plan: Plan): Promise<Figure> {
  const isKnown = knowsSetting('WORKERS')
  const contenders: Contender[] = []
  const goals: Record<string, Goal[]> = {}
  const ends: (() => Promise<void>)[] = []
  const memory: { what: string; pid: number; single?: string }[] = []
  for (const database of plan.only === undefined ? databases : [plan.only]) {
    const data = await seeded(plan, database, 100_000)
    for (const count of isKnown ? [1, 2] : [1]) {
      const service = await data.start(isKnown ? { WORKERS: String(count) } : {})
      const session = await sessionOf(service)
      const reads: Record<string, Request[]> = {
        'GET /api/me': [{ path: '/api/me', headers: service.bearer }],
        'GET /api/protected': [{ path: '/api/protected', headers: session }],
        'GET /users/{id}': userIds.map((id) => ({ path: `/users/${id}`, headers: service.bearer })),
        'POST /login': usernames.map((username) => postJson('/login', { username, password })),
      }
      for (const [what, requests] of Object.entries(reads)) {
        const name = (of: number) => `${what}, ${database}, ${of} worker${of === 1 ? '' : 's'}`
        contenders.push(perCpuSecond(loadOf(name(count), service, { requests })))
        if (count === 1 && database === 'PostgreSQL' && keptReads.has(what) && !plan.only) {
          const to = `${what}, SQLite, 1 worker`
          goals[name(1)] = [{ to, as: 'SQLite', atLeast: 0.8 }]
        }
        if (count === 2) {
          const atLeast = database === 'SQLite' ? 0.9 : 0.75
          const ratchet = database === 'SQLite' ? { ratchet: `two workers : one, ${what}` } : {}
          goals[name(2)] = [{ to: name(1), as: 'one worker', atLeast, ...ratchet }]
        }
      }
      memory.push({
        what: `memory, ${database}, ${count} worker${count === 1 ? '' : 's'}`,
        pid: service.pid,
        ...(count === 2 ? { single: `memory, ${database}, 1 worker` } : {}),
      })
      ends.unshift(() => service.stop())
    }
    ends.push(() => data.close())
  }
  const [first] = contenders
  // Two workers share the requests of the turn that warms up: each compiles its code later.
  for (const contender of contenders) {
    if (!contender.name.startsWith('POST /login')) await contender.run(warmSeconds)
  }
  const short = { ...plan, seconds: plan.seconds * 0.8 }
  const { samples, about: taken } = await takeTurns(short, contenders, first?.name ?? '')
  const lines = memoryLines(memory)
  for (const end of ends) await end()
  const missing = { what: 'WORKERS=2', values: [], missing: 'not in this version' }
  return {
    name: 'workers',
    title: 'One worker and two',
    about,
    unit: 'requests per CPU second',
    lines: [...linesOf(contenders, samples, goals), ...(isKnown ? [] : [missing]), ...lines],
    ...taken,
  }
}

function perCpuSecond(contender: Contender): Contender {
  return {
    ...contender,
    async run(seconds) {
      const sample = await contender.run(seconds)
      return { ...sample, rate: 1e6 / (sample.microseconds ?? Number.NaN) }
    },
  }
}

function memoryLines(services: readonly { what: string; pid: number; single?: string }[]): Line[] {
  const measured = new Map(services.map(({ what, pid }) => [what, memoryOfTree(pid)]))
  return services.flatMap(({ what, single }) => {
    const { rss, pss } = measured.get(what) ?? { rss: Number.NaN, pss: Number.NaN }
    const one = measured.get(single ?? '')
    const comparisons = one && [{ to: 'one worker', values: [pss / one.pss], atMost: 2.2 }]
    return [
      { what: `${what}, PSS`, values: [pss], unit: 'MB', ...(comparisons ? { comparisons } : {}) },
      { what: `${what}, RSS`, values: [rss], unit: 'MB' },
    ] as const
  })
}
