import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { waitMs, waitUntil } from '../../test/faults/waiting.ts'
import { goal, missedGoals, print, verdict } from '../growth/table.ts'
import { startLanes } from '../soak/lanes.ts'
import { createMeasures } from '../soak/measures.ts'
import { type MailServer, type Receiver, startMailServer, startReceiver } from '../soak/outside.ts'
import { administratorOf, type World } from '../soak/people.ts'
import { report } from '../soak/report.ts'
import { type DatabaseName, databases, type Side, startSide, watchLog } from '../soak/side.ts'
import { createTraffic } from '../soak/traffic.ts'

/**
 * People and programs use the service for a long time, at one rate, while it is restarted, its keys are
 * rotated, it is backed up, and the receiver of webhooks and the mail server are away. Exits with 1 if
 * memory, descriptors, processor time a request or rows grow that must not, a request fails outside of
 * the restart of an only node, or a queue does not drain.
 * `npm run prove -- soak [--minutes=30] [--database=sqlite|postgres|both] [--rate=24]`; `--rate`:
 * requests a second of all databases together. Both databases run at the same time, so that other work
 * on the machine disturbs both alike.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    database: { type: 'string', default: 'both' },
    rate: { type: 'string', default: '24' },
  },
})
const names = databases.filter((name) => ['both', name].includes(values.database))
const [runMs, rate] = [Number(values.minutes) * 60_000, Number(values.rate)]
if (names.length === 0 || !(runMs > 0) || !(rate > 0)) {
  throw new Error(
    '--minutes and --rate are positive numbers, --database is sqlite, postgres or both',
  )
}
const sampleMs = Math.min(60_000, Math.max(1000, runMs / 180))
const windows = 30
const outageMs = Math.min(180_000, runMs / 10)
const drainMs = 900_000
const staggerMs = Math.min(3000, runMs / 400)
const passphrase = 'seven lamps upon a quiet harbour wall\n'
const webhookEvents = ['user_created', 'user_deleted', 'password_reset', 'mfa_enrolled']

let startedAt = 0
const mail = await startMailServer()
const receiver = await startReceiver()
const runs: Run[] = []
try {
  for (const name of names) runs.push(await prepare(name, mail, receiver))
  for (const run of runs) print(`${run.name}: ${run.side.processes().length} processes`)
  startedAt = performance.now()
  await Promise.all([...runs.map(use), plan()])
  for (const run of runs) await drained(run)
  for (const run of runs) await tell(run)
  const delivered = await sum(({ side }) => side.count('webhook_deliveries', "state = 'delivered'"))
  print(
    `\nwebhooks delivered: ${delivered}, received: ${receiver.received()}; mails received: ${mail.received()}`,
  )
  goal(
    'webhooks that are marked as delivered, and did not arrive',
    delivered - receiver.received(),
    0,
  )
} finally {
  for (const { side, world } of runs) {
    world.traffic.close()
    await side.remove()
  }
}
print(verdict())
process.exit(missedGoals() === 0 ? 0 : 1)

interface Run {
  readonly name: DatabaseName
  readonly side: Side
  readonly world: World
  readonly measures: ReturnType<typeof createMeasures>
  readonly faults: string[]
  isRestarting: boolean
}

async function prepare(name: DatabaseName, mail: MailServer, receiver: Receiver): Promise<Run> {
  const side = await startSide(name, mail.port)
  const traffic = createTraffic(side, rate / names.length)
  const world: World = { traffic, mail, asAdmin: administratorOf(traffic) }
  const json = { url: `http://127.0.0.1:${receiver.port}/${name}`, events: webhookEvents }
  const headers = await world.asAdmin()
  const path = '/api/admin/webhooks'
  const wanted = { kind: 'administration', method: 'POST', path, status: 201 } as const
  await traffic.ask({ ...wanted, headers, json })
  const measures = createMeasures(side, traffic)
  return { name, side, world, measures, faults: [], isRestarting: false }
}

/** The traffic of a side, and its samples. */
async function use(run: Run): Promise<void> {
  const lanes = startLanes(run.world, { staggerMs })
  const endAt = startedAt + runMs
  let windowAt = performance.now()
  while (performance.now() < endAt) {
    await waitMs(sampleMs)
    if (!run.isRestarting) {
      await run.measures.sample().catch((error) => run.faults.push(`no sample: ${error}`))
    }
    if (performance.now() < windowAt + runMs / windows) continue
    windowAt = performance.now()
    run.measures.endWindow()
  }
  await lanes.stop()
  run.faults.push(...lanes.faults)
}

/** What happens at fixed parts of the run. The outages lie so that both halves of the samples have them. */
async function plan(): Promise<void> {
  const steps: readonly [share: number, what: string, step: () => Promise<unknown>][] = [
    [0.25, 'the receiver of webhooks is away', () => receiver.leave()],
    [0.25 + outageMs / runMs, 'the receiver is back', () => receiver.comeBack()],
    [0.4, 'signing keys are rotated', () => each(rotateKeys)],
    [0.5, 'a node is restarted', () => each(restart)],
    [0.55, 'the mail server is away', () => mail.leave()],
    [0.55 + outageMs / runMs, 'the mail server is back', () => mail.comeBack()],
    [0.75, 'a backup is made and verified', () => each(backUp)],
  ]
  for (const [share, what, step] of steps) {
    await waitMs(Math.max(0, startedAt + share * runMs - performance.now()))
    print(`${((performance.now() - startedAt) / 60_000).toFixed(1)} min: ${what}`)
    await step()
  }
}

/** The run goes on after a fault, which is reported with all others. */
async function each(step: (run: Run) => Promise<unknown>): Promise<void> {
  await Promise.all(
    runs.map((run) =>
      step(run).catch((error: unknown) => run.faults.push(`${step.name}: ${error}`)),
    ),
  )
}

async function sum(of: (run: Run) => Promise<number>): Promise<number> {
  return (await Promise.all(runs.map(of))).reduce((total, count) => total + count, 0)
}

async function rotateKeys({ side }: Run): Promise<void> {
  for (const more of [[], ['--refresh'], ['--identity']]) {
    await side.command(['keys', 'rotate', ...more, '--now'])
  }
}

async function restart(run: Run): Promise<void> {
  const [node] = run.side.nodes
  if (!node) return
  run.isRestarting = true
  const milliseconds = await run.world.traffic.restart(node).finally(() => {
    run.isRestarting = false
  })
  watchLog(node, run.side.errors)
  print(`  ${run.name}: ${milliseconds.toFixed(0)} ms from SIGTERM until it was ready`)
}

async function backUp({ name, side }: Run): Promise<void> {
  const file = join(side.nodes[0]?.directory ?? '', 'soak.backup')
  const began = performance.now()
  await side.command(['backup', file], passphrase)
  await side.command(['backup', 'verify', file], passphrase)
  print(`  ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

async function drained({ name, side, faults }: Run): Promise<void> {
  const queues = [
    ['mails', "state in ('waiting', 'sending')"],
    ['webhook_deliveries', "state = 'waiting'"],
    ['webhook_events', '1 = 1'],
  ] as const
  for (const [table, waiting] of queues) {
    const isEmpty = async () => (await side.count(table, waiting)) === 0
    const began = performance.now()
    const limits = { patienceMs: drainMs, everyMs: 500 }
    try {
      await waitUntil(`${table} drains`, isEmpty, limits)
      print(`${name}: ${table} drained after ${((performance.now() - began) / 1000).toFixed(0)} s`)
    } catch (error) {
      faults.push(String(error))
    }
  }
}

async function tell(run: Run): Promise<void> {
  const { name, side, world, measures, faults } = run
  report({ name, measures, failures: world.traffic.failures, faults, errors: side.errors })
  for (const { requestId, isPlanned } of world.traffic.failures.slice(-40)) {
    if (isPlanned || requestId === '') continue
    print(await side.command(['explain', requestId]).catch(String))
    break
  }
  const least = ((rate / names.length) * runMs) / 1000 / 2
  goal('requests missing at half of the rate', Math.max(0, least - world.traffic.requests()), 0)
  const restarted = side.nodes.length === 1 ? side.processes().length : 1
  const expected = side.processes().length + restarted
  goal('processes that ended and were started again, unplanned', side.started() - expected, 0)
  const lost = await Promise.all([
    side.count('mails', "state in ('failed', 'expired')"),
    side.count('webhook_deliveries', "state in ('failed')"),
  ])
  goal('mails and webhooks that were given up', lost[0] + lost[1], 0)
  const { ok } = JSON.parse(await side.command(['audit', 'verify', '--json']))
  goal('problems of the audit log', ok ? 0 : 1, 0)
}
