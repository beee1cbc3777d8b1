import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { until } from '../until.ts'
import { limitFileSize } from './disks.ts'

/** Writes rows without end, and tells the id of each that is acknowledged. */
const writer = `
  import { writeSync } from 'node:fs'
  import { fdatasync } from 'node:fs'
  import { Kysely, sql } from 'kysely'
  import { NodeSqliteDialect } from './src/core/database/sqlite/dialect.ts'
  const path = process.argv[1]
  const dialect = new NodeSqliteDialect(
    { path, timeoutMs: 5000, synchronous: 'full', groupCommit: fdatasync, checkpointThread: true })
  const db = new Kysely({ dialect })
  await sql\`create table if not exists notes (id integer primary key, text text)\`.execute(db)
  const text = 'x'.repeat(20_000)
  for (let told = false;;) {
    try {
      const { id } = await db.insertInto('notes').values({ text }).returning('id').executeTakeFirstOrThrow()
      writeSync(1, id + '\\n')
    } catch (error) {
      if (!told) writeSync(1, 'refused\\n')
      told = true
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
`

function start(path: string) {
  const root = join(import.meta.dirname, '../..')
  const flags = ['--input-type=module', '--eval', writer, path]
  const child = spawn(process.execPath, flags, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return { child, output: () => output, exited: once(child, 'close') }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function assertAllThere(path: string, output: string) {
  const ids = output.match(/^\d+(?=\n)/gm)?.map(Number) ?? []
  const last = Math.max(...ids)
  const database = new DatabaseSync(path)
  const one = (statement: string) => Object.values(database.prepare(statement).get() ?? {})[0]
  assert.ok(ids.length > 100, 'a run in which much was acknowledged')
  assert.equal(one('pragma integrity_check'), 'ok')
  assert.equal(one(`select count(*) from notes where id <= ${last}`), last)
  database.close()
}

suite('a checkpoint on its thread', () => {
  test('kill -9 while it writes the file loses nothing that was acknowledged', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
    const path = join(directory, 'test.db')
    let output = ''
    for (let kill = 0; kill < 4; kill += 1) {
      const before = sizeOf(path)
      const run = start(path)
      await until(() => sizeOf(path) > before + kill * 1_000_000 && run.output().length > 500)
      run.child.kill('SIGKILL')
      await run.exited
      output += run.output()
      assertAllThere(path, output)
    }
    rmSync(directory, { recursive: true })
  })

  test('a disk without room for the file: what was acknowledged stays in the log', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
    const path = join(directory, 'test.db')
    const run = start(path)
    await until(() => run.output().includes('\n'))
    limitFileSize(run.child.pid, 20_000_000) // the log passes 4,000 pages, and no file grows further
    await until(() => run.output().includes('refused'))
    limitFileSize(run.child.pid, 'unlimited')
    const refused = run.output().length
    await until(() => run.output().length > refused + 500)
    run.child.kill('SIGKILL')
    await run.exited
    assertAllThere(path, run.output())
    rmSync(directory, { recursive: true })
  })
})
