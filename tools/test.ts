import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/postgres.ts'
import { balance, loadTimes, saveTimes, type Times, timesOf, weightOf } from './test-batches.ts'
import { filesOf, runsOn } from './test-files.ts'
import { keepFilesInMemory } from './test-folder.ts'

/**
 * `npm test`: every test on SQLite, and on PostgreSQL as well where a database can make a difference;
 * in twice as many processes as there are cores, since each waits now and then. `--complete` runs on
 * both what is the same on every database, too (`tools/test-files.ts`). Words pick files, by path or
 * by the names of their tests; `--watch` runs one or more again whenever they, or what they import,
 * change; `TEST_DATABASE` names one database of the two.
 */
const root = join(import.meta.dirname, '..')
const databases = ['sqlite', 'postgres'] as const
type Database = (typeof databases)[number]

interface Batch {
  readonly database: Database
  readonly files: readonly string[]
  /** What its files took when they were measured. */
  readonly weight: number
}

interface Outcome {
  readonly batch: Batch
  readonly output: string
  readonly code: number | null
  readonly counts: ReadonlyMap<string, number>
  /** Milliseconds that each of its files took. */
  readonly times: Readonly<Record<string, number>>
}

// To start a process costs a second; services of one process live beside each other, and each has
// connections.
const filesAtOnce = { sqlite: 18, postgres: 10 }
/** Fewer files are shared out as well, where each process has so much to do. */
const worthAProcessMs = 10_000

const countNames = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']

const options = [
  // Much is made and thrown away: with room for it, a tenth of the work goes.
  '--min-semi-space-size=16',
  '--max-semi-space-size=64',
  '--test',
  '--test-force-exit', // a request on a socket that was let go can keep Node busy at its end
  '--test-isolation=none',
  '--test-timeout=60000',
  '--test-reporter=spec',
]

const flags = ['--watch', '--complete'] as const
const given = process.argv.slice(2)
const words = given.filter((word) => !flags.some((flag) => flag === word))
const isComplete = given.includes('--complete') || words.length > 0 // of what is named all is meant
try {
  const files = filesOf(words)
  process.exitCode = given.includes('--watch')
    ? await watch(files, words.length > 0)
    : await main(files)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

async function main(files: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  keepFilesInMemory()
  const times = loadTimes()
  const wanted = databases.filter((name) => (process.env.TEST_DATABASE || name) === name)
  const queue = wanted
    .flatMap((database) => batchesOf(database, files, times))
    .sort((a, b) => b.weight - a.weight)
  const server = serverFor(wanted)
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      const outcome = await run(batch, await envOf(batch.database, server))
      report(outcome)
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, work))
  await (await server)?.stop()
  for (const database of wanted) {
    const own = outcomes.filter(({ batch }) => batch.database === database)
    process.stdout.write(`\n${database}\n${summaryOf(own)}`)
    const passed = own.filter(isPassed).map((outcome) => outcome.times)
    saveTimes({ [database]: Object.assign({}, ...passed) })
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const isGood = outcomes.every(isPassed)
  process.stdout.write(`\nboth together\n${summaryOf(outcomes)}ℹ duration ${seconds} s\n`)
  return isGood ? 0 : 1
}

/** Runs until it is stopped, on one database: SQLite, unless TEST_DATABASE names the other. */
async function watch(files: readonly string[], isNamed: boolean): Promise<number> {
  if (!isNamed) throw new Error('watch what? npm test -- --watch test/spec/x.test.ts')
  const [database = 'sqlite'] = databases.filter((name) => name === process.env.TEST_DATABASE)
  const server = serverFor([database])
  const env = await envOf(database, server)
  const flags = options.filter((option) => option !== '--test-force-exit') // it would end the watch
  const child = spawn(process.execPath, [...flags, '--watch', ...files], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => child.kill(signal))
  const code = await ended(child)
  await (await server)?.stop()
  return code ?? 0
}

type Server = Promise<Awaited<ReturnType<typeof startPostgres>>> | null

function serverFor(wanted: readonly Database[]): Server {
  return wanted.includes('postgres') && !process.env.TEST_DATABASE_URL ? startPostgres() : null
}

async function envOf(database: Database, server: Server): Promise<NodeJS.ProcessEnv> {
  return {
    ...process.env,
    TEST_DATABASE: database,
    TEST_RUN: String(process.pid), // its processes share their databases
    ...(database === 'postgres' && server && { TEST_DATABASE_URL: (await server).url('postgres') }),
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
  }
}

function batchesOf(database: Database, files: readonly string[], times: Times): Batch[] {
  // Whoever names a database gets it: nothing is left out where the other does not run.
  const isWhole = isComplete || process.env.TEST_DATABASE === database
  const own = files.filter((file) => runsOn(database, file, { isComplete: isWhole }))
  const weight = (file: string) => weightOf(file, times[database])
  const sum = (some: readonly string[]) => some.reduce((total, file) => total + weight(file), 0)
  const count = Math.max(
    Math.ceil(own.length / filesAtOnce[database]),
    Math.min(availableParallelism(), Math.ceil(sum(own) / worthAProcessMs)),
  )
  return balance(own, count, weight).map((batch) => ({
    database,
    files: batch,
    weight: sum(batch),
  }))
}

async function run(batch: Batch, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-times-'))
  const timesFile = join(folder, 'times')
  const reporters = [
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'test-times.ts')}`,
    `--test-reporter-destination=${timesFile}`,
  ]
  const child = spawn(process.execPath, [...options, ...reporters, ...batch.files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => parts.push(part))
  }
  const code = await ended(child)
  const output = Buffer.concat(parts).toString()
  const counts = new Map(
    [...output.matchAll(/^ℹ (\w+) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
  )
  const lines = code === 0 ? readFileSync(timesFile, 'utf8') : ''
  rmSync(folder, { recursive: true })
  const times = timesOf(lines, batch.files, performance.now() - startedAt)
  return { batch, output, code, counts, times }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve))
}

function report(outcome: Outcome): void {
  const { batch, output, counts } = outcome
  if (!isPassed(outcome)) process.stdout.write(output)
  const mark = isPassed(outcome) ? '✔' : '✖'
  const seconds = /^ℹ duration_ms (\d+)/m.exec(output)?.[1] ?? '0'
  process.stdout.write(
    `${mark} ${batch.database}, ${counts.get('pass') ?? 0} tests, ${Number(seconds) / 1000} s: ${batch.files.join(' ')}\n`,
  )
}

/** A process that died before it could count has failed, too. */
function isPassed({ code, counts }: Outcome): boolean {
  return code === 0 && counts.get('fail') === 0 && counts.get('cancelled') === 0
}

/** The lines of Node's own runner, added up. */
function summaryOf(outcomes: readonly Outcome[]): string {
  return countNames
    .map((name) => {
      const lost = name === 'fail' ? outcomes.filter((each) => !each.counts.has('fail')).length : 0
      const sum = outcomes.reduce((total, { counts }) => total + (counts.get(name) ?? 0), lost)
      return `ℹ ${name} ${sum}\n`
    })
    .join('')
}
