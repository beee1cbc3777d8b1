import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Generated, Kysely, sql } from 'kysely'
import { DatabaseReplaced } from '../errors.ts'
import { NodeSqliteDialect } from './dialect.ts'

interface Tables {
  notes: { id: Generated<number>; text: string }
}

async function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const path = join(directory, 'test.db')
  const dialect = new NodeSqliteDialect({ path, timeoutMs: 60_000, synchronous: 'off' })
  const db = new Kysely<Tables>({ dialect })
  t.after(async () => {
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
  assert.equal(dialect.files.replaced(), null, 'nothing is open yet')
  await sql`create table notes (id integer primary key, text text) strict`.execute(db)
  const add = (text = 'kept') => db.insertInto('notes').values({ text }).execute()
  return { db, path, files: dialect.files, add }
}

for (const ending of ['', '-wal', '-shm']) {
  const file = `database${ending}`

  test(`${file}: while another file is at its path, nothing is written; then all goes on`, async (t) => {
    const { db, path, files, add } = await open(t)
    await add()
    assert.equal(files.replaced(), null)
    renameSync(path + ending, `${path}.aside`)
    assert.equal(files.replaced(), path + ending, 'gone')
    writeFileSync(path + ending, 'another file')
    assert.equal(files.replaced(), path + ending, 'another')
    await assert.rejects(add(), DatabaseReplaced)
    await assert.rejects(
      db.transaction().execute((trx) => trx.insertInto('notes').values({ text: 'lost' }).execute()),
      DatabaseReplaced,
    )
    renameSync(`${path}.aside`, path + ending)
    assert.equal(files.replaced(), null)
    await add()
    assert.equal((await db.selectFrom('notes').select('id').execute()).length, 2)
  })

  test(`${file}: a commit is not acknowledged if it was replaced since the transaction began`, async (t) => {
    const { db, path } = await open(t)
    const writing = db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ text: 'of no use' }).execute()
      renameSync(path + ending, `${path}.aside`)
    })
    await assert.rejects(writing, DatabaseReplaced)
    renameSync(`${path}.aside`, path + ending)
  })
}

test('what was abandoned stays so, and to close the database writes nothing into the file', async (t) => {
  const { db, path, files, add } = await open(t)
  await add()
  files.abandon()
  assert.equal(files.replaced(), null, 'nothing was replaced')
  const log = readFileSync(`${path}-wal`)
  rmSync(`${path}-wal`)
  files.abandon()
  writeFileSync(`${path}-wal`, log)
  assert.equal(files.replaced(), `${path}-wal`)
  await assert.rejects(add(), DatabaseReplaced)
  const before = readFileSync(path)
  await db.destroy()
  assert.ok(readFileSync(path).equals(before))
  assert.ok(readFileSync(`${path}-wal`).equals(log))
})

test('a database that is closed has no files to look at', async (t) => {
  const { db, files, add } = await open(t)
  await add()
  await db.destroy()
  assert.equal(files.replaced(), null, 'SQLite itself has deleted the log')
})
