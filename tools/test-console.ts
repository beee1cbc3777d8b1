import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../test/postgres.ts'
import { buildWebIfStale } from './build-web.ts'

/**
 * `npm run test:console [word...]`: the journeys of the console in a browser, on SQLite and on
 * PostgreSQL, two at the same time. Each file is a process with a browser and a service of its own,
 * so that none waits for the start of another's. Words pick files by their names; `TEST_DATABASE`
 * names one database of the two.
 */
const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const files = globSync('test/console/*.browser.ts', { cwd: root })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted()
if (files.length === 0) {
  process.stderr.write(`no file of test/console holds ${words.join(' ')}\n`)
  process.exit(1)
}
const databases = ['sqlite', 'postgres'].filter(
  (name) => (process.env.TEST_DATABASE || name) === name,
)
const startedAt = performance.now()
await buildWebIfStale()
const server =
  databases.includes('postgres') && !process.env.TEST_DATABASE_URL ? await startPostgres() : null
const waiting = files.flatMap((file) => databases.map((database) => ({ file, database })))
let failed = 0
await Promise.all([runWaiting(), runWaiting()])
await server?.stop()
const seconds = Math.round((performance.now() - startedAt) / 1000)
process.stdout.write(`ℹ ${files.length} files on ${databases.join(' and ')}, ${seconds} s\n`)
process.exitCode = failed === 0 ? 0 : 1

async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if ((await run(next.file, next.database)) !== 0) failed += 1
  }
}

/** What a process prints is kept until it ends, so that each file can be read by itself. */
function run(file: string, database: string): Promise<number | null> {
  const options = ['--test', '--test-isolation=none', '--test-force-exit', '--test-timeout=600000']
  const child = spawn(process.execPath, [...options, '--test-reporter=spec', file], {
    cwd: root,
    env: {
      ...process.env,
      TEST_DATABASE: database,
      TEST_RUN: `console_${process.pid}`, // they share a template
      ...(server && database === 'postgres' && { TEST_DATABASE_URL: server.url('postgres') }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  return new Promise((resolve) =>
    child.on('close', (code) => {
      process.stdout.write(`\n${database}\n${output}`)
      resolve(code)
    }),
  )
}
