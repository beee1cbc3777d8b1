import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument } from '../test/openapi/operations.ts'
import { recordMet } from '../test/openapi/record.ts'
import { startPostgres } from '../test/postgres.ts'
import { buildWebIfStale } from './build-web.ts'
import { bytesOf, filesOf, runsOnPostgres } from './test-files.ts'
import { keepFilesInMemory } from './test-folder.ts'
import { runTests } from './test-run.ts'

/**
 * `npm test -- [--complete] [word...] [--test-name-pattern=x]`: all test files on SQLite, and those in
 * which the database makes a difference on PostgreSQL too; with `--complete` or a word of a path, on
 * both. `TEST_DATABASE` names one of the two. Other options are Node's.
 */
const startedAt = performance.now()
const given = process.argv.slice(2)
const words = given.filter((word) => !word.startsWith('--'))
const options = given.filter((word) => word.startsWith('--') && word !== '--complete')
const isComplete = given.includes('--complete') || words.length > 0
const { TEST_DATABASE: only = '', TEST_DATABASE_URL } = process.env
const bytesPerMinute = 1_000_000

const files = filesOf(words)
const queues = {
  sqlite: only === 'postgres' ? [] : files,
  postgres:
    only === 'sqlite'
      ? []
      : files.filter((file) => runsOnPostgres(file, isComplete || only !== '')),
}
const all = Object.values(queues).flat()
const minutes = Math.ceil(all.reduce((sum, file) => sum + bytesOf(file), 0) / bytesPerMinute)
process.stdout.write(
  `${files.length} files on ${only || 'two databases'} (${all.length} runs), about ${minutes} min\n`,
)

await buildWebIfStale()
keepFilesInMemory()
const server = queues.postgres.length > 0 && !TEST_DATABASE_URL ? await startPostgres() : null
const met = given.every((word) => word === '--complete') ? recordMet() : null
const runs = Object.entries(queues).map(([database, queue]) =>
  runTests({
    files: queue,
    options,
    env: {
      ...process.env,
      ...met?.env,
      TEST_DATABASE: database,
      TEST_RUN: String(process.pid), // its processes share their databases
      ...(server && { TEST_DATABASE_URL: server.url('postgres') }),
      NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/tests'),
    },
  }),
)
const results = await Promise.all(runs)
await server?.stop()
const unmet = met?.unmet(readDocument()) ?? []
for (const answer of unmet) {
  process.stdout.write(`✖ docs/openapi.json: ${answer} is documented, and no test meets it\n`)
}
const passed = results.reduce((sum, counts) => sum + counts.passed, 0)
const failed = results.reduce((sum, counts) => sum + counts.failed, unmet.length)
const seconds = Math.round((performance.now() - startedAt) / 1000)
process.stdout.write(`${failed > 0 ? '✖' : '✔'} ${passed} passed, ${failed} failed, ${seconds} s\n`)
process.exitCode = failed > 0 ? 1 : 0

function readDocument(): ApiDocument {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8'))
}
