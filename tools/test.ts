import { spawn } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/postgres.ts'

/**
 * `npm test`: every test on SQLite, and every one that knows a database on PostgreSQL as well; in twice
 * as many processes as there are cores, since each waits now and then. Files that are named run alone;
 * `TEST_DATABASE` names one database of the two.
 */
const root = join(import.meta.dirname, '..')
const databases = ['sqlite', 'postgres'] as const
type Database = (typeof databases)[number]

interface Batch {
  readonly database: Database
  readonly files: readonly string[]
}

interface Outcome {
  readonly batch: Batch
  readonly output: string
  readonly code: number | null
  readonly counts: ReadonlyMap<string, number>
}

// To start a process costs a second; services of one process live beside each other, and each has
// connections.
const filesAtOnce = { sqlite: 12, postgres: 7 }

const countNames = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']

process.exitCode = await main(process.argv.slice(2))

async function main(named: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const files =
    named.length > 0
      ? named
      : globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).filter(
          (file) => !isTimed(file),
        )
  const wanted = databases.filter((name) => (process.env.TEST_DATABASE || name) === name)
  const queue = wanted.flatMap((database) => batchesOf(database, files)).sort(byWeight)
  const server =
    wanted.includes('postgres') && !process.env.TEST_DATABASE_URL ? startPostgres() : null
  const envOf = async (database: Database): Promise<NodeJS.ProcessEnv> => ({
    ...process.env,
    TEST_DATABASE: database,
    TEST_RUN: String(process.pid), // its processes share their databases
    ...(database === 'postgres' && server && { TEST_DATABASE_URL: (await server).url('postgres') }),
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
  })
  const outcomes: Outcome[] = []
  const work = async (batches: Batch[]) => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const outcome = await run(batch, await envOf(batch.database))
      report(outcome)
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, () => work(queue)))
  ;(await server)?.stop()
  for (const database of wanted) {
    const own = outcomes.filter(({ batch }) => batch.database === database)
    process.stdout.write(`\n${database}\n${summaryOf(own)}`)
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const isGood = outcomes.every(isPassed)
  process.stdout.write(`\nboth together\n${summaryOf(outcomes)}ℹ duration ${seconds} s\n`)
  return isGood ? 0 : 1
}

/** Files that neither start the service nor connect know no database, or SQLite's file. */
function batchesOf(database: Database, files: readonly string[]): Batch[] {
  const own = files
    .filter((file) => database === 'sqlite' || /\b(testApp|connectTo)\b/.test(read(file)))
    .sort((a, b) => sizeOf(b) - sizeOf(a))
  const count = Math.ceil(own.length / filesAtOnce[database])
  return Array.from({ length: count }, (_, batch) => ({
    database,
    files: own.filter((_, index) => index % count === batch), // large and small ones together
  }))
}

/** What must be answered in time wants the machine for itself: `npm run test:faults`. */
function isTimed(file: string): boolean {
  return file.startsWith('test/faults/')
}

async function run(batch: Batch, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const options = [
    '--test',
    '--test-force-exit', // a request on a socket that was let go can keep Node busy at its end
    '--test-isolation=none',
    '--test-timeout=60000',
    '--test-reporter=spec',
  ]
  const child = spawn(process.execPath, [...options, ...batch.files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => parts.push(part))
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const output = Buffer.concat(parts).toString()
  const counts = new Map(
    [...output.matchAll(/^ℹ (\w+) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
  )
  return { batch, output, code, counts }
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

function byWeight(left: Batch, right: Batch): number {
  return weightOf(right) - weightOf(left)
}

function weightOf({ files }: Batch): number {
  return files.reduce((sum, file) => sum + sizeOf(file), 0)
}

function sizeOf(file: string): number {
  return statSync(join(root, file)).size
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
