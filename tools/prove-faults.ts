import { startCluster } from '../test/faults/cluster.ts'
import { runOutOfDescriptors } from '../test/faults/descriptors.ts'
import { type KillOptions, killUnderLoad } from '../test/faults/kills.ts'
import {
  type LossFigures,
  type LossName,
  losses,
  nodeToLoseItsDatabase,
  poolMax,
} from '../test/faults/losses.ts'
import { loadWithSmallHeap } from '../test/faults/memory.ts'
import { interruptMigration, latest } from '../test/faults/migrations.ts'
import { forceShutDown, type ShutdownFigures, shutDownUnderLoad } from '../test/faults/shutdowns.ts'
import { failedStart, startWithUsers, wrongSettings } from '../test/faults/starts.ts'

/**
 * Proves that the service loses no acknowledged change and admits no unauthorized caller when its
 * environment fails. `npm run prove:faults -- [part ...] [--rounds=n]`; without a part, all of
 * them. Quick forms of these proofs run with the tests; those of the disk and the clock exist only
 * there.
 */
const parts = {
  'kill-sqlite': () => kills({ victim: 'service' }),
  'kill-postgres': () => withCluster((cluster) => kills({ victim: 'service', cluster })),
  'kill-postmaster': () => withCluster((cluster) => kills({ victim: 'postmaster', cluster })),
  shutdown,
  database,
  migration,
  descriptors,
  memory,
  start,
}

const given = process.argv.slice(2)
const rounds = Number(given.find((each) => each.startsWith('--rounds='))?.slice(9) ?? 0)
const wanted = given.filter((each) => !each.startsWith('--'))
let missed = 0

for (const name of wanted) if (!(name in parts)) throw new Error(`no part ${name}`)
for (const [name, prove] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  print(`\n${name}`)
  await prove()
}
print(missed === 0 ? '\nPASS' : `\nFAIL: ${missed} goals missed`)
process.exit(missed === 0 ? 0 : 1) // abandoned sockets could keep the process alive

/** R1, G9. */
async function kills(options: Pick<KillOptions, 'victim' | 'cluster'>): Promise<void> {
  const figures = await killUnderLoad({ ...options, kills: rounds || 25, changes: 150 })
  print(
    `  ${figures.kills} kills, ${figures.acknowledged} acknowledged changes, ${figures.unanswered} unanswered`,
  )
  goal('acknowledged changes lost', figures.lost.length, 0)
  goal('half-written, or an id given twice', figures.half.length, 0)
  goal('changes without a record, and chains that do not verify', figures.audit.length, 0)
  for (const each of [...figures.lost, ...figures.half, ...figures.audit].slice(0, 10))
    print(`    ${each}`)
  if (!options.cluster) {
    const broken = figures.integrity.filter((answer) => answer !== 'ok')
    goal('integrity_check other than ok', broken.length, 0)
  }
  goal('median ms until ready again', median(figures.readyMs), 2000)
  goal('slowest ms until ready again', Math.max(...figures.readyMs), 2000)
}

/** R2, G10. */
async function shutdown(): Promise<void> {
  const runs: ShutdownFigures[] = []
  for (let run = 0; run < (rounds || 20); run += 1) {
    runs.push(await shutDownUnderLoad({ connections: 200, logins: 50 }))
  }
  const sum = (of: (run: (typeof runs)[number]) => number) =>
    runs.reduce((total, run) => total + of(run), 0)
  print(`  ${runs.length} runs, ${sum((run) => run.underWay)} requests under way at the signal`)
  goal(
    'requests dropped',
    sum((run) => run.dropped + run.loginsDropped),
    0,
  )
  goal(
    'answers without Connection: close',
    sum((run) => run.withoutClose),
    0,
  )
  goal(
    'runs with another exit code than 0',
    sum((run) => (run.exitCode === 0 ? 0 : 1)),
    0,
  )
  const probes = runs.flatMap((run) => run.readiness)
  goal('probes that still found it ready', probes.filter((each) => each !== 503 && each).length, 0)
  print(
    `  runs in which a probe found it red: ${sum((run) => Number(run.readiness.includes(503)))}`,
  )
  goal('slowest ms until the exit', Math.max(...runs.map((run) => run.milliseconds)), 10_000)
  const second = await forceShutDown({ secondAfterMs: 2100 })
  goal('ms from a second signal until the exit', second.milliseconds - 2100, 500)
  const stuck = await forceShutDown({})
  goal('ms until the exit while a caller never ends its request', stuck.milliseconds, 10_500)
}

/** R3, G11. */
async function database(): Promise<void> {
  await withCluster(async (cluster) => {
    const node = await nodeToLoseItsDatabase(cluster, 2000)
    try {
      for (const name of Object.keys(losses) as LossName[]) {
        // its own keys
        const runs: LossFigures[] = []
        for (let run = 0; run < (rounds || 4); run += 1) {
          runs.push(await node.loseDatabase(name, { awayMs: 5000, each: 1 }))
        }
        print(
          `  ${name}, ${runs.length} times: ${runs.reduce((n, run) => n + run.answers, 0)} answers`,
        )
        goal('let in without the check', runs.flatMap((run) => run.open).length, 0)
        goal('other answers than 503 or a refusal', runs.flatMap((run) => run.odd).length, 0)
        for (const each of new Set(runs.flatMap((run) => [...run.open, ...run.odd])))
          print(`    ${each}`)
        goal('slowest answer, ms', Math.max(...runs.map((run) => run.slowestMs)), 2000)
        goal('slowest recovery, ms', Math.max(...runs.map((run) => run.recoveredMs)), 5000)
        const most = Math.max(...runs.map((run) => run.maxConnections))
        goal('most connections, with the one that listens', most, poolMax + 1)
        goal('exits', runs.filter((run) => run.exited).length, 0)
      }
    } finally {
      await node.remove()
    }
  })
}

/** R8, G21: both databases. */
async function migration(): Promise<void> {
  const statements = Array.from({ length: rounds || 20 }, (_, n) => n + 2)
  const check = (name: string, figures: Awaited<ReturnType<typeof interruptMigration>>) => {
    print(`  ${name}: ${statements.length} kills, ${figures.inTheMiddle} before the commit`)
    goal('schemas neither old nor new', figures.half.length, 0)
    goal('migrations missing in the end', latest - figures.versions.length, 0)
    goal('users missing in the end', figures.missingUsers, 0)
  }
  for (const contents of ['users', 'everything'] as const) {
    check(`sqlite, ${contents}`, await interruptMigration(null, statements, contents))
    await withCluster(async (cluster) =>
      check(`postgres, ${contents}`, await interruptMigration(cluster, statements, contents)),
    )
  }
}

/** R11. */
async function descriptors(): Promise<void> {
  const figures = await runOutOfDescriptors({ limit: 64, connections: 500 })
  goal(
    'failures of who was connected',
    figures.kept.filter((each) => each >= 400 || !each).length,
    0,
  )
  goal('exits', Number(figures.exited), 0)
  goal('ms until a new caller was served, after the others had left', figures.recoveredMs, 5000)
}

/** R12. */
async function memory(): Promise<void> {
  const figures = await loadWithSmallHeap({ heapMebibytes: 128, seconds: rounds || 20 })
  print(`  ${figures.requests} requests, ${figures.maxResidentMebibytes} MiB resident at most`)
  goal('exits', Number(figures.exited), 0)
  const { 503: shed = 0, ...failures } = figures.failures
  print(`  shed with 503: ${shed}`)
  goal(
    'failures',
    Object.values(failures).reduce((sum, each) => sum + each, 0),
    0,
  )
}

/** R16. */
async function start(): Promise<void> {
  const failed = await failedStart(wrongSettings)
  const untold = Object.keys(wrongSettings).filter((name) => !failed.output.includes(name))
  goal('wrong settings that were not named', untold.length, 0)
  goal('exit code off 1', Math.abs((failed.code ?? 0) - 1), 0)
  goal('ms until it was told', failed.milliseconds, 1000)
  const { readyMs } = await startWithUsers(100_000)
  goal('ms until ready with 100,000 users', readyMs, 2000)
}

async function withCluster(
  prove: (cluster: Awaited<ReturnType<typeof startCluster>>) => Promise<void>,
): Promise<void> {
  const cluster = await startCluster()
  try {
    await prove(cluster)
  } finally {
    await cluster.remove()
  }
}

function goal(what: string, figure: number, most: number): void {
  const isMet = figure <= most
  if (!isMet) missed += 1
  print(`  ${isMet ? 'ok    ' : 'MISSED'} ${what}: ${Math.round(figure)} (goal: ${most})`)
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
