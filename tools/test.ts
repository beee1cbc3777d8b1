import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/postgres.ts'
import {
  type Batch,
  type Database,
  databases,
  filesNamed,
  planBatches,
  root,
  type Times,
  timesFile,
} from './test-plan.ts'

/**
 * `npm test`: every test on SQLite, and every one that knows a database on PostgreSQL as well; in twice
 * as many processes as there are cores, since each waits now and then.
 *
 * `npm test -- login`: the files whose path holds the word, else those with a test that is named by it.
 * `npm test -- --watch FILE`: again at each change of what the file imports (SQLite where
 * TEST_DATABASE names no other). `npm test -- --measure` writes down how long each file takes.
 * `TEST_DATABASE` names one database of the two, `TEST_DATABASE_URL` a PostgreSQL that runs.
 */
interface Outcome {
  readonly batch: Batch
  readonly output: string
  readonly code: number | null
  readonly counts: ReadonlyMap<string, number>
  /** Milliseconds by file. */
  readonly times: ReadonlyMap<string, number>
}

const countNames = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']
// Files that take less are estimated well enough by their size.
const measuredFromMs = 300

const nodeOptions = [
  '--test',
  '--test-force-exit', // a request on a socket that was let go can keep Node busy at its end
  '--test-isolation=none',
  '--test-timeout=60000',
]

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { watch: { type: 'boolean' }, measure: { type: 'boolean' } },
  })
  const files = filesNamed(positionals)
  const wanted = databases.filter((name) => (process.env.TEST_DATABASE || name) === name)
  const databaseUsed = values.watch ? wanted.slice(0, 1) : wanted
  const server =
    databaseUsed.includes('postgres') && !process.env.TEST_DATABASE_URL ? startPostgres() : null
  const envOf = async (database: Database): Promise<NodeJS.ProcessEnv> => ({
    ...process.env,
    TEST_DATABASE: database,
    TEST_RUN: String(process.pid), // its processes share their databases
    ...(database === 'postgres' && server && { TEST_DATABASE_URL: (await server).url('postgres') }),
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
  })
  try {
    if (values.watch) return await watch(files, await envOf(databaseUsed[0] ?? 'sqlite'))
    return await runAll(files, wanted, envOf, values.measure ?? false)
  } finally {
    ;(await server)?.stop()
  }
}

async function runAll(
  files: readonly string[],
  wanted: readonly Database[],
  envOf: (database: Database) => Promise<NodeJS.ProcessEnv>,
  measures: boolean,
): Promise<number> {
  const startedAt = performance.now()
  const queue = planBatches(wanted, files)
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      const outcome = await run(batch, await envOf(batch.database))
      report(outcome)
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, work))
  for (const database of wanted) {
    const own = outcomes.filter(({ batch }) => batch.database === database)
    process.stdout.write(`\n${database}\n${summaryOf(own)}`)
  }
  if (measures) writeTimes(outcomes)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`\nboth together\n${summaryOf(outcomes)}ℹ duration ${seconds} s\n`)
  return outcomes.every(isPassed) ? 0 : 1
}

async function run(batch: Batch, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-times-'))
  const timesOfRun = join(folder, 'times')
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'test-times.ts')}`,
    `--test-reporter-destination=${timesOfRun}`,
  ]
  const child = spawn(process.execPath, [...nodeOptions, ...reporters, ...batch.files], {
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
  const times = new Map<string, number>()
  for (const line of readFileSync(timesOfRun, 'utf8').split('\n').filter(Boolean)) {
    const { file, milliseconds } = JSON.parse(line) // as test-times.ts writes it
    times.set(relative(root, file), milliseconds)
  }
  rmSync(folder, { recursive: true })
  return { batch, output, code, counts, times }
}

/** Node's own watching: a file runs again when it, or what it imports, has changed. */
async function watch(files: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = ['--test', '--watch', '--test-reporter=spec', '--test-timeout=60000']
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
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

function writeTimes(outcomes: readonly Outcome[]): void {
  const times: Times = Object.fromEntries(
    databases.map((database) => [
      database,
      Object.fromEntries(
        outcomes
          .filter(({ batch }) => batch.database === database)
          .flatMap((outcome) => [...outcome.times])
          .filter(([, milliseconds]) => milliseconds >= measuredFromMs)
          .map(([file, milliseconds]): [string, number] => [
            file,
            Math.round(milliseconds / 100) * 100,
          ])
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    ]),
  )
  writeFileSync(timesFile, `${JSON.stringify(times, null, 2)}\n`)
}
