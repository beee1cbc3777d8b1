import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordMet } from '../test/openapi/record.ts'
import { startPostgres } from '../test/postgres.ts'
import { buildWebIfStale } from './build-web.ts'
import { failureList } from './failures.ts'
import { bytesOf, filesOf, runsOnPostgres, suites } from './test-files.ts'
import { keepFilesInMemory } from './test-folder.ts'
import { runTests } from './test-run.ts'

/**
 * `npm test -- [--complete] [word...] [--test-name-pattern=x]`: all test files on SQLite, and those in
 * which the database makes a difference on PostgreSQL too; with `--complete` or a word of a path, on
 * both; `--suite=console` are files of the console, in the same way. `TEST_DATABASE` names one of the
 * two. `--suite=faults` and `--suite=browser` are files that choose their databases. Node takes other
 * options.
 */
const startedAt = performance.now()
const given = process.argv.slice(2)
const words = given.filter((word) => !word.startsWith('--'))
const options = given.filter((word) => /^--(?!complete$|suite=)/.test(word))
const suite = (Object.keys(suites) as (keyof typeof suites)[]).find((name) =>
  given.includes(`--suite=${name}`),
)
const { TEST_DATABASE: only = '', TEST_DATABASE_URL } = process.env
const isComplete = given.includes('--complete') || words.length > 0 || only !== ''
const bytesPerMinute = 1_000_000
const root = join(import.meta.dirname, '..')

const files = filesOf(words, suite)
const queues = queuesOf()
const all = Object.values(queues).flat()
const minutes = Math.ceil(all.reduce((total, file) => total + bytesOf(file), 0) / bytesPerMinute)
const where = only || (Object.keys(queues).length > 1 ? 'two databases' : 'databases of their own')
process.stdout.write(`${files.length} files on ${where}, about ${minutes} minutes\n`)

await buildWebIfStale()
if (!suite) keepFilesInMemory()
const server = queues.postgres?.length && !TEST_DATABASE_URL ? await startPostgres() : null
const met = given.every((word) => word === '--complete') && !only ? recordMet() : null
const runs = Object.entries(queues).map(([database, queue]) => ({
  files: queue,
  // For what hangs: a busy machine takes ten times as long.
  options: [`--test-timeout=${suite ? 600_000 : 120_000}`, ...options],
  fileMs: 900_000,
  env: {
    ...process.env,
    ...met?.env,
    ...(database !== 'both' && { TEST_DATABASE: database }),
    TEST_RUN: String(process.pid), // its processes share their databases
    ...(server && { TEST_DATABASE_URL: server.url('postgres') }),
    // The processes of the faults measure what they compile themselves.
    ...(!suite && { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests') }),
  },
}))
const { passed, failures } = await runTests(runs)
await server?.stop()
process.stdout.write(failureList(failures))
const unmet = met?.unmet(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))) ?? []
for (const answer of unmet) {
  process.stdout.write(`✖ docs/openapi.json: ${answer} is documented, and no test meets it\n`)
}
const failed = failures.length + unmet.length
const seconds = Math.round((performance.now() - startedAt) / 1000)
process.stdout.write(`${failed > 0 ? '✖' : '✔'} ${passed} passed, ${failed} failed, ${seconds} s\n`)
process.exitCode = failed > 0 ? 1 : 0

/** The files by database; `both` for files that choose for themselves. */
function queuesOf(): Record<string, string[]> {
  if (suite === 'faults' || suite === 'browser') return { both: files }
  const ofPostgres = files.filter((file) => runsOnPostgres(file, isComplete))
  const queues = { sqlite: files, postgres: ofPostgres }
  if (only === 'sqlite' || only === 'postgres') return { [only]: queues[only] }
  return queues
}
