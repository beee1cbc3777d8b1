import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { startPostgres } from '../test/postgres.ts'
import { buildWebIfStale } from './build-web.ts'
import { filesOf, runsOn } from './test-files.ts'
import { keepFilesInMemory } from './test-folder.ts'
import { recordMet } from './test-openapi.ts'
import { countNames } from './test-runner.ts'
import { loadTimes, saveTimes, weightOf } from './test-times.ts'
import { type FileResult, isPassed, memory, runFiles } from './test-workers.ts'

/**
 * `npm test`: every test on SQLite, and on PostgreSQL as well where a database can make a difference.
 * Each database has as many processes as there are cores, since each waits now and then; the files
 * that took longest come first. `--complete` runs every file on both
 * (`tools/test-files.ts`). Words pick files, by path or by the names of their tests; `--watch` runs
 * one or more again whenever they, or what they import, change, by Node's own runner; `TEST_DATABASE`
 * names one database of the two.
 */
const root = join(import.meta.dirname, '..')
const databases = ['sqlite', 'postgres'] as const
type Database = (typeof databases)[number]

type Outcome = FileResult & { readonly database: Database }

const flags = ['--watch', '--complete'] as const
const given = process.argv.slice(2)
const words = given.filter((word) => !flags.some((flag) => flag === word))
const isComplete = given.includes('--complete') || words.length > 0 // of what is named all is meant
try {
  const files = filesOf(words)
  const isWatch = given.includes('--watch')
  if (!isWatch) announce(files)
  await buildWebIfStale()
  process.exitCode = isWatch ? await watch(files, words.length > 0) : await main(files)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

/** Says at once what is to come: the first file, one of the longest, ends only after a while. */
function announce(files: readonly string[]): void {
  const counts = wantedDatabases().map((name) => `${queueOf(name, files).length} on ${name}`)
  process.stdout.write(`test files: ${counts.join(', ')}\n`)
}

function wantedDatabases(): Database[] {
  return databases.filter((name) => (process.env.TEST_DATABASE || name) === name)
}

async function main(files: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  keepFilesInMemory()
  const wanted = wantedDatabases()
  const server = serverFor(wanted)
  const outcomes: Outcome[] = []
  const met = words.length === 0 ? recordMet() : null
  const work = wanted.map(async (database) => {
    const queue = queueOf(database, files)
    const env = { ...(await envOf(database, server)), ...met?.env }
    await runFiles(queue, env, (result) => {
      const outcome = { database, ...result }
      report(outcome)
      // What passed printed nothing that is wanted later.
      outcomes.push(isPassed(outcome) ? { ...outcome, output: '' } : outcome)
    })
  })
  await Promise.all(work)
  await (await server)?.stop()
  for (const database of wanted) {
    const own = outcomes.filter((outcome) => outcome.database === database)
    process.stdout.write(`\n${database}\n${summaryOf(own)}`)
    const passed = own.filter(isPassed).map(({ file, ms }) => [file, ms])
    saveTimes({ [database]: Object.fromEntries(passed) })
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`\nboth together\n${summaryOf(outcomes)}ℹ duration ${seconds} s\n`)
  // Once more at the end, where the first look falls, and which a log that was cut keeps.
  for (const outcome of outcomes.filter((one) => !isPassed(one))) report(outcome)
  const mistakes = met?.mistakes() ?? []
  for (const mistake of mistakes) process.stdout.write(`✖ docs/openapi.json: ${mistake}\n`)
  return outcomes.every(isPassed) && mistakes.length === 0 ? 0 : 1
}

/** Runs until it is stopped, on one database: SQLite, unless TEST_DATABASE names the other. */
async function watch(files: readonly string[], isNamed: boolean): Promise<number> {
  if (!isNamed) throw new Error('watch what? npm test -- --watch test/spec/x.test.ts')
  const [database = 'sqlite'] = databases.filter((name) => name === process.env.TEST_DATABASE)
  const server = serverFor([database])
  const env = await envOf(database, server)
  const options = ['--test', '--watch', '--test-isolation=none', '--test-timeout=60000']
  const child = spawn(process.execPath, [...memory, ...options, ...files], {
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

/** The files of a database, the longest first: who takes the last has the least to do. */
function queueOf(database: Database, files: readonly string[]): string[] {
  // A database that is named runs every file: nothing is left out if the other does not run.
  const isEverything = isComplete || process.env.TEST_DATABASE === database
  const times = loadTimes()[database]
  return files
    .filter((file) => runsOn(database, file, { isComplete: isEverything }))
    .toSorted((a, b) => weightOf(b, times) - weightOf(a, times))
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve))
}

function report(outcome: Outcome): void {
  const { database, file, counts, ms, output } = outcome
  if (!isPassed(outcome)) process.stdout.write(output)
  const mark = isPassed(outcome) ? '✔' : '✖'
  process.stdout.write(`${mark} ${database}, ${counts.pass ?? 0} tests, ${ms / 1000} s: ${file}\n`)
}

function summaryOf(outcomes: readonly Outcome[]): string {
  return countNames
    .map((name) => {
      const sum = outcomes.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
      return `ℹ ${name} ${sum}\n`
    })
    .join('')
}
