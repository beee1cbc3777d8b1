import assert from 'node:assert/strict'
import { copyFileSync, fdatasync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { type Generated, Kysely, sql } from 'kysely'
import { observed } from '../../../../test/standing-time.ts'
import { DatabaseUnavailable, UniqueViolation } from '../errors.ts'
import { ReadingAdapter } from '../reading.ts'
import { NodeSqliteDialect } from './dialect.ts'
import { type FlushFile, GroupCommit } from './group-commit.ts'

interface Tables {
  notes: { id: Generated<number>; text: string }
}

const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened.toReversed()) await close()
})

async function open(groupCommit: FlushFile, timeoutMs = 60_000) {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const path = join(directory, 'test.db')
  const created = new DatabaseSync(path)
  created.exec('create table notes (id integer primary key, text text unique) strict')
  created.close()
  const dialect = new NodeSqliteDialect({
    path,
    timeoutMs,
    synchronous: 'full',
    groupCommit,
  })
  const db = new Kysely<Tables>({ dialect })
  const asyncDb = new Kysely<Tables>({ dialect: dialect.asyncCommit() })
  opened.push(async () => {
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
  const add = (text: string, to: typeof db = db) =>
    to.insertInto('notes').values({ text }).execute()
  const texts = async (from: typeof db = db) =>
    (await from.selectFrom('notes').select('text').orderBy('id').execute()).map(({ text }) => text)
  return { directory, path, dialect, db, asyncDb, add, texts }
}

/** A disk that takes the log when the test says so. */
function heldDisk() {
  const waiting: ((error: Error | null) => void)[] = []
  let flushes = 0
  return {
    flush: ((_, done) => {
      flushes += 1
      waiting.push(done)
    }) satisfies FlushFile,
    count: () => flushes,
    /** Ends the flush under way. */
    async end(error: Error | null = null) {
      await turns()
      const done = waiting.shift()
      if (!done) throw new Error('the disk has nothing to take')
      done(error)
      await turns()
    },
  }
}

/** Lets everything run that waits for neither the disk nor a timer. */
async function turns() {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

async function held(timeoutMs?: number) {
  const disk = heldDisk()
  return { disk, ...(await open(disk.flush, timeoutMs)) }
}

suite('commits that wait for the disk together', () => {
  test('none is acknowledged before the disk has it; all of a group are, by one flush', async () => {
    const { db, disk, add } = await held()
    const writes = [
      observed(add('a')),
      observed(add('b')),
      observed(db.transaction().execute((trx) => add('c', trx))),
    ]
    await turns()
    for (const write of writes) assert.equal(write.outcome, undefined)
    await disk.end()
    await Promise.all(writes.map(({ outcome }) => outcome))
    for (const write of writes) assert.notEqual(write.outcome, undefined)
    assert.equal(disk.count(), 1)
  })

  test('a commit during a flush waits for the next one', async () => {
    const { disk, add } = await held()
    const first = observed(add('first'))
    await turns()
    const later = [observed(add('second')), observed(add('third'))]
    await disk.end()
    assert.notEqual(first.outcome, undefined)
    for (const write of later) assert.equal(write.outcome, undefined)
    await disk.end()
    for (const write of later) assert.notEqual(write.outcome, undefined)
    assert.equal(disk.count(), 2)
  })

  test('an error in one transaction of a group rolls back that one alone', async () => {
    const { db, disk, add, texts } = await held()
    const failing = (error: (trx: typeof db) => Promise<unknown>) =>
      db.transaction().execute(async (trx) => {
        await add('undone', trx)
        await error(trx)
      })
    const settled = Promise.allSettled([
      add('one'),
      failing(() => Promise.reject(new Error('mine'))),
      add('two'),
      failing((trx) => add('one', trx)),
      failing((trx) => sql`rollback`.execute(trx).then(() => Promise.reject(new Error('mine')))),
      add('three'),
    ])
    await disk.end()
    const reasons = (await settled).map((result) =>
      result.status === 'rejected' ? result.reason : null,
    )
    assert.deepEqual(
      [0, 1, 2, 4, 5].map((index) => reasons[index]?.message),
      [undefined, 'mine', undefined, 'mine', undefined],
    )
    assert.ok(reasons[3] instanceof UniqueViolation)
    assert.deepEqual(await texts(), ['one', 'two', 'three'])
  })

  test('nothing is answered from a commit that is not on disk yet', async () => {
    const { asyncDb, db, disk, add, texts } = await held()
    const { adapter } = db.getExecutor()
    assert.ok(adapter instanceof ReadingAdapter)
    const readAtOnce = async () =>
      (
        await adapter.readAtOnce<{ text: string }>({
          sql: 'select text from notes',
          parameters: [],
        })
      )?.rows[0]?.text
    assert.deepEqual(await texts(), [])
    const write = observed(add('there'))
    await turns()
    const answers = [
      observed(texts()),
      observed(readAtOnce()),
      observed(db.transaction().execute((trx) => texts(trx))),
      observed(asyncDb.transaction().execute((trx) => texts(trx))),
      observed(add('more', asyncDb)),
      observed(
        db
          .transaction()
          .setAccessMode('read only')
          .execute((trx) => texts(trx)),
      ),
      observed(
        db
          .transaction()
          .execute((trx) => add('there', trx))
          .catch(() => 'refused'),
      ),
      observed(add('there').catch(() => 'refused')),
    ]
    await turns()
    for (const [index, { outcome }] of answers.entries())
      assert.equal(outcome, undefined, `${index}`)
    assert.equal(write.outcome, undefined)
    await disk.end()
    const there = ['there']
    assert.deepEqual(await Promise.all(answers.map(({ outcome }) => outcome)), [
      ...[there, 'there', there, there],
      answers[4]?.outcome && (await answers[4].outcome),
      ...[there, 'refused', 'refused'],
    ])
    assert.equal(disk.count(), 1)
    assert.equal(await readAtOnce(), 'there', 'at once again')
  })

  test('what changes nothing, or need not survive a loss of power, asks nothing of the disk', async () => {
    const { asyncDb, db, disk, add, texts } = await held()
    assert.deepEqual(await texts(), [])
    await add('may be lost', asyncDb)
    await asyncDb.transaction().execute((trx) => add('as well', trx))
    assert.deepEqual(await texts(), ['may be lost', 'as well'])
    await db.transaction().execute((trx) => texts(trx))
    await db.deleteFrom('notes').where('id', '=', 99).execute()
    assert.equal(disk.count(), 0)
  })

  test('to close the database waits for the last group', async () => {
    const { db, disk, add } = await held()
    const write = observed(add('last'))
    await turns()
    const closing = observed(db.destroy())
    await turns()
    assert.equal(closing.outcome, undefined)
    await disk.end()
    await closing.outcome
    await write.outcome
    await assert.rejects(add('late'))
  })
})

suite('a disk that does not take the log', () => {
  test('fails all that wait, and everything later; the process is told once', async () => {
    const { directory } = await held()
    const disk = heldDisk()
    const told: Error[] = []
    const group = new GroupCommit(join(directory, 'test.db'), {
      flushFile: disk.flush,
      timeoutMs: 60_000,
      failed: (error) => told.push(error),
    })
    const first = observed(group.committed())
    await turns()
    const waiting = [first, observed(group.committed()), observed(group.pending() ?? turns())]
    await disk.end(new Error('EIO'))
    for (const { outcome } of waiting) {
      assert.ok(outcome)
      await assert.rejects(outcome, DatabaseUnavailable)
    }
    await assert.rejects(group.committed(), DatabaseUnavailable)
    await assert.rejects(group.pending() ?? turns(), DatabaseUnavailable)
    assert.deepEqual([told.length, disk.count()], [1, 1])
    await group.close()
  })
})

suite('a disk that is late', () => {
  const tooLate = /waited too long for the disk/

  test('fails all that wait too long, and nothing that comes when it has caught up', async () => {
    const { asyncDb, db, disk, add, dialect, texts } = await held(1)
    assert.deepEqual(await texts(), [])
    const { adapter } = db.getExecutor()
    assert.ok(adapter instanceof ReadingAdapter)
    const all = { sql: 'select text from notes', parameters: [] }
    const version = dialect.foreignVersion()
    await assert.rejects(add('one'), { name: DatabaseUnavailable.name, message: tooLate })
    // This process has not learned of its own commit: it must read again what it keeps in memory.
    assert.notEqual(dialect.foreignVersion(), version)
    const late = [
      () => add('two'),
      () => db.transaction().execute((trx) => add('three', trx)),
      () => add('four', asyncDb),
      () => texts(),
      async () => adapter.readAtOnce(all),
      () => db.transaction().execute((trx) => texts(trx)),
      () =>
        db
          .transaction()
          .setAccessMode('read only')
          .execute((trx) => texts(trx)),
      () => add('one'),
    ]
    for (const work of late) await assert.rejects(work(), tooLate)
    assert.equal(disk.count(), 1, 'the first flush is still under way')
    await disk.end()
    await disk.end()
    assert.deepEqual(await texts(), ['one', 'two', 'three', 'four'])
    await add('five', asyncDb)
  })

  test('to close the database waits for it, and for what commits meanwhile', async () => {
    const { db, disk, add } = await held()
    const first = observed(add('first'))
    await turns()
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const second = observed(
      db.transaction().execute(async (trx) => {
        await add('second', trx)
        begun.resolve()
        await gate.promise
      }),
    )
    await begun.promise
    const closing = observed(db.destroy())
    await turns()
    gate.resolve()
    await disk.end()
    await first.outcome
    assert.deepEqual([second.outcome, closing.outcome], [undefined, undefined])
    await disk.end()
    await second.outcome
    await closing.outcome
  })
})

suite('a loss of power', () => {
  // What a flush has taken at least is what the files held when it began.
  test('at any moment keeps all that was answered until then, writes and reads', async () => {
    let [begun, taken] = [0, 0]
    const { directory, path, db, add, texts } = await open((descriptor, done) => {
      begun += 1
      const mine = begun
      for (const end of ['', '-wal']) copyFileSync(path + end, join(directory, `${mine}.db${end}`))
      fdatasync(descriptor, (error) => {
        taken = mine
        done(error)
      })
    })
    const answered: { readonly texts: readonly string[]; readonly taken: number }[] = []
    const writer = async (name: number) => {
      for (let index = 0; index < 12; index += 1) {
        const text = `${name} ${index}`
        if (index % 3 === 2) {
          await db
            .transaction()
            .execute(async (trx) => {
              await add(`undone ${text}`, trx)
              throw new Error('undo it')
            })
            .catch(() => {})
        } else {
          await add(text)
          answered.push({ texts: [text], taken })
        }
        answered.push({ texts: await texts(), taken })
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)))
    assert.ok(begun < 8 * 8, `${begun} flushes for ${8 * 8} commits`)
    for (let copy = 1; copy <= begun; copy += 1) {
      const left = new DatabaseSync(join(directory, `${copy}.db`))
      const rows = left.prepare('select text from notes').all()
      const kept = new Set(rows.map(({ text }) => text))
      assert.equal(left.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
      left.close()
      for (const { texts, taken } of answered) {
        if (taken > copy) continue
        assert.deepEqual(
          texts.filter((text) => !kept.has(text)),
          [],
          `lost after flush ${copy}`,
        )
      }
      assert.ok(![...kept].some((text) => String(text).startsWith('undone')))
    }
  })
})
