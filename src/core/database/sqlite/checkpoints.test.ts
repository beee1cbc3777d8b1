import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type Generated, Kysely, sql } from 'kysely'
import { until } from '../../../../test/until.ts'
import { minLogLimitBytes, pagesPerCheckpoint } from './checkpoints.ts'
import { NodeSqliteDialect } from './dialect.ts'

interface Tables {
  notes: { id: Generated<number>; text: string }
}

const logBytes = pagesPerCheckpoint * 4096

async function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const path = join(directory, 'test.db')
  const dialect = new NodeSqliteDialect({
    ...{ path, timeoutMs: 60_000, synchronous: 'off', checkpointThread: true },
  })
  const db = new Kysely<Tables>({ dialect })
  t.after(async () => {
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
  await sql`create table notes (id integer primary key, text text) strict`.execute(db)
  const size = (end = '') => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0
  const text = 'x'.repeat(100_000)
  const add = () => db.insertInto('notes').values({ text }).execute()
  let replaced = 0
  /** Writes the same pages again, so that the database file stays small. */
  const replace = () =>
    db
      .updateTable('notes')
      .set({ text: `${++replaced} `.repeat(15_000) })
      .execute()
  return { db, path, size, add, replace }
}

test('a long log is written back beside the commits, and begins anew; closing ends the thread', async (t) => {
  const { db, path, size, add } = await open(t)
  let written = 0
  const write = async () => {
    await add()
    written += 1
  }
  // A commit would write the log back itself from four times the length on.
  while (size('-wal') < minLogLimitBytes) await write()
  await until(() => size() > 1_000_000)
  await until(async () => {
    const before = size('-wal')
    await write()
    assert.ok(before < 3.5 * logBytes)
    return size('-wal') === before // the log began anew
  })
  await db.destroy()
  assert.equal(size('-wal'), 0, 'the last connection has removed the log: the thread has none')
  const reader = new DatabaseSync(path, { readOnly: true })
  assert.deepEqual(
    { ...reader.prepare('select count(*) as rows from notes').get() },
    { rows: written },
  )
  reader.close()
})

test('a reader who holds the log: commits go on, and it is written back when it is free', async (t) => {
  const { path, size, add } = await open(t)
  await add()
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('begin')
  reader.prepare('select count(*) from notes').get()
  while (size('-wal') < 2 * logBytes) await add()
  assert.ok(size() < logBytes, 'what came after the reader began is in the log alone')
  reader.exec('commit')
  reader.close()
  await until(async () => {
    await add()
    return size() > logBytes
  })
})

test('beside a small file the log is written back before it is four times as long', async (t) => {
  const { size, add, replace } = await open(t)
  await add()
  for (let written = 0; written < 6 * minLogLimitBytes; written += 100_000) {
    await replace()
    if (size('-wal') <= minLogLimitBytes) continue
    await until(async () => {
      await replace()
      return size('-wal') <= minLogLimitBytes
    })
  }
  assert.ok(size() < 1_000_000)
})

test('a log that a reader has let grow is truncated when the reader has gone', async (t) => {
  const { path, size, add, replace } = await open(t)
  await add()
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('begin')
  reader.prepare('select count(*) from notes').get()
  while (size('-wal') < 3 * minLogLimitBytes) await replace()
  reader.exec('commit')
  reader.close()
  await until(async () => {
    await replace()
    return size('-wal') < minLogLimitBytes
  })
  assert.ok(size() < 1_000_000)
})

test('a log within its limit is not truncated: its file is written again from the beginning', async (t) => {
  const { size, add } = await open(t)
  while (size() < 3 * minLogLimitBytes) await add()
  let longest = 0
  for (let count = 0; count < 400; count += 1) {
    await add()
    assert.ok(size('-wal') >= longest, 'it never shrinks')
    longest = size('-wal')
  }
})

test('close waits for a checkpoint under way, and no commit after it starts another', async (t) => {
  const { db, size, add } = await open(t)
  while (size('-wal') < minLogLimitBytes / 2) await add()
  const adds = Array.from({ length: 8 }, add)
  await Promise.all(adds)
  await db.destroy()
  assert.equal(size('-wal'), 0)
})
