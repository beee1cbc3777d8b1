import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { type Generated, Kysely, sql } from 'kysely'
import { observed, standingTime } from '../../../../test/standing-time.ts'
import { DatabaseUnavailable, UniqueViolation } from '../errors.ts'
import { NodeSqliteDialect } from './dialect.ts'

interface Tables {
  notes: {
    id: Generated<number>
    text: string | null
    size: number | null
    bytes: Uint8Array | null
  }
}

const limitMs = 300
/** Of what shall never be reached, however much else the machine has to do. */
const patientMs = 60_000
const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened.toReversed()) await close()
})

async function open(timeoutMs = patientMs) {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const path = join(directory, 'test.db')
  const dialect = new NodeSqliteDialect({ path, timeoutMs, synchronous: 'off' })
  const db = new Kysely<Tables>({ dialect })
  await sql`create table notes (id integer primary key, text text unique, size real, bytes blob) strict`.execute(
    db,
  )
  const other = new DatabaseSync(path, { timeout: 0 })
  opened.push(async () => {
    if (other.isOpen) other.close()
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
  return {
    db,
    dialect,
    other,
    add: (text: string) => db.insertInto('notes').values({ text }).execute(),
    texts: async (from: Pick<typeof db, 'selectFrom'> = db) =>
      (await from.selectFrom('notes').select('text').orderBy('id').execute()).map(
        ({ text }) => text,
      ),
  }
}

async function assertBusy({ outcome }: ReturnType<typeof observed>) {
  assert.ok(outcome, 'it still waits')
  await assert.rejects(outcome, DatabaseUnavailable)
}

suite('a lock that another connection holds', async () => {
  test('a write is DatabaseUnavailable after the limit; the event loop and reads go on meanwhile', async (t) => {
    const { db, other, add, texts } = await open(limitMs)
    await add('before')
    other.exec('begin immediate')
    const time = standingTime(t)
    const writes: (() => Promise<unknown>)[] = [
      () => add('a'),
      () => db.transaction().execute((trx) => texts(trx)),
    ]
    for (const write of writes) {
      const writing = observed(write())
      for (let passed = 0; passed < limitMs - 1; passed += 1) {
        await time.pass(1)
        assert.deepEqual(await texts(), ['before'])
        assert.equal(writing.outcome, undefined, `after ${passed + 1} ms`)
      }
      await time.pass(1)
      await assertBusy(writing)
    }
    other.exec('rollback')
    await add('after')
    assert.deepEqual(await texts(), ['before', 'after'])
  })

  test('a write goes on as soon as the lock is free', async () => {
    const { other, add, texts } = await open()
    other.exec('begin immediate')
    const writing = add('patient')
    await new Promise(setImmediate)
    other.exec('commit')
    await writing
    assert.deepEqual(await texts(), ['patient'])
  })

  test('no write waits longer than the limit, however many wait before it', async (t) => {
    const { other, add, texts } = await open(limitMs)
    other.exec('begin immediate')
    const time = standingTime(t)
    const first = observed(add('first'))
    await time.pass(limitMs / 2)
    const later = [1, 2, 3].map((index) => observed(add(`later ${index}`)))
    await time.pass(limitMs / 2 - 1)
    assert.equal(first.outcome, undefined)
    await time.pass(1)
    await assertBusy(first)
    await time.pass(limitMs / 2 - 1)
    for (const { outcome } of later) assert.equal(outcome, undefined)
    await time.pass(1)
    for (const each of later) await assertBusy(each)
    other.exec('rollback')
    assert.deepEqual(await texts(), [])
  })

  test('reads see what is committed, never what another transaction has written so far', async () => {
    const { db, add, texts } = await open()
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('notes').values({ text: 'inside' }).execute()
      assert.deepEqual(await texts(trx), ['inside'])
      assert.deepEqual(await texts(), [])
    })
    assert.deepEqual(await texts(), ['inside'])
    await add('next')
    assert.deepEqual(await texts(), ['inside', 'next'])
  })

  test('a database whose file is locked while it is opened is waited for', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const path = join(directory, 'test.db')
    const other = new DatabaseSync(path) // a fresh file, not in WAL mode yet
    other.exec('begin exclusive')
    const db = new Kysely<Tables>({
      dialect: new NodeSqliteDialect({ path, timeoutMs: patientMs, synchronous: 'off' }),
    })
    const asking = sql`select 1 as one`.execute(db)
    asking.catch(() => {})
    await new Promise(setImmediate)
    other.exec('commit')
    assert.deepEqual({ ...((await asking).rows[0] as object) }, { one: 1 })
    other.close()
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
})

suite('transactions', async () => {
  test('they take turns: parallel ones neither see nor lose each other', async () => {
    const { db, texts } = await open()
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        db.transaction().execute(async (trx) => {
          const before = await texts(trx)
          await new Promise(setImmediate)
          await trx
            .insertInto('notes')
            .values({ text: `${before.length}/${index}` })
            .execute()
        }),
      ),
    )
    const expected = Array.from({ length: 20 }, (_, index) => `${index}/${index}`)
    assert.deepEqual(await texts(), expected)
  })

  const failures: readonly [
    string,
    RegExp | typeof UniqueViolation,
    (trx: Kysely<Tables>) => Promise<unknown>,
  ][] = [
    ['throws', /mine/, async () => Promise.reject(new Error('mine'))],
    [
      'meets a unique index',
      UniqueViolation,
      (trx) => trx.insertInto('notes').values({ text: 'kept' }).execute(),
    ],
    ['has a syntax error', /syntax/, (trx) => sql`selekt`.execute(trx)],
    ['binds a wrong type', /cannot be bound/, (trx) => sql`select ${{}}`.execute(trx)],
    [
      'rolled back by itself',
      /mine/,
      async (trx) => {
        await sql`rollback`.execute(trx)
        throw new Error('mine')
      },
    ],
  ]
  for (const [what, expected, fail] of failures) {
    test(`a transaction that ${what} leaves nothing, and a clean connection`, async () => {
      const { db, add, texts } = await open()
      await add('kept')
      const run = db.transaction().execute(async (trx) => {
        await trx.insertInto('notes').values({ text: 'lost' }).execute()
        await fail(trx)
      })
      await assert.rejects(run, expected)
      assert.deepEqual(await texts(), ['kept'])
      await db
        .transaction()
        .execute((trx) => trx.insertInto('notes').values({ text: 'next' }).execute())
      assert.deepEqual(await texts(), ['kept', 'next'])
    })
  }

  test('a commit that fails does not affect other transactions', async () => {
    const { db, texts } = await open()
    await sql`pragma foreign_keys = on`.execute(db)
    await sql`create table links (note integer references notes (id) deferrable initially deferred)`.execute(
      db,
    )
    const failing = () =>
      db.transaction().execute((trx) => sql`insert into links (note) values (424242)`.execute(trx))
    const working = (text: string) =>
      db.transaction().execute(async (trx) => {
        await trx
          .insertInto('notes')
          .values({ text: `${text} 1` })
          .execute()
        await trx
          .insertInto('notes')
          .values({ text: `${text} 2` })
          .execute()
      })
    const undone = () =>
      db.transaction().execute(async (trx) => {
        await trx.insertInto('notes').values({ text: 'undone 1' }).execute()
        await trx.insertInto('notes').values({ text: 'undone 2' }).execute()
        throw new Error('undo both')
      })
    const results = await Promise.allSettled([
      failing(),
      working('a'),
      failing(),
      undone(),
      failing(),
      working('b'),
    ])
    assert.deepEqual(await texts(), ['a 1', 'a 2', 'b 1', 'b 2'])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
    )
  })

  test('a query after the database was closed is DatabaseUnavailable or an error, never a hang', async () => {
    const { db, add } = await open()
    await db.destroy()
    await assert.rejects(add('late'))
  })
})

suite('parameters and statements', async () => {
  const wrong: readonly [string, unknown][] = [
    ['a date', new Date(0)],
    ['undefined', undefined],
    ['a boolean', true],
    ['an object', { a: 1 }],
    ['an array', [1]],
    ['a symbol', Symbol('s')],
    ['no number', Number.NaN],
    ['an ArrayBuffer', new ArrayBuffer(2)],
  ]
  for (const [what, value] of wrong) {
    test(`${what} is refused as a parameter, first or later, and nothing is stored`, async () => {
      const { db, texts } = await open()
      await assert.rejects(sql`insert into notes (text) values (${value})`.execute(db))
      await assert.rejects(sql`insert into notes (id, text) values (${1}, ${value})`.execute(db))
      await assert.rejects(sql`select ${value} as value`.execute(db))
      assert.deepEqual(await texts(), [])
    })
  }

  test('null, text, numbers, bigints and bytes are stored as they are', async () => {
    const { db } = await open()
    const bytes = Buffer.from([0, 1, 255])
    await db.insertInto('notes').values({ id: 1, text: "'😀\u202E", size: -1.5, bytes }).execute()
    await sql`insert into notes (id, text) values (${9007199254740991n}, ${null})`.execute(db)
    const rows = await db.selectFrom('notes').selectAll().orderBy('id').execute()
    assert.deepEqual(
      { ...rows[0], bytes: Buffer.from(rows[0]?.bytes ?? []) },
      {
        id: 1,
        text: "'😀\u202E",
        size: -1.5,
        bytes,
      },
    )
    assert.deepEqual({ ...rows[1] }, { id: 2 ** 53 - 1, text: null, size: null, bytes: null })
  })

  test('a thousand different statements, and the same one after its table was changed', async () => {
    const { db, other, add } = await open()
    await add('kept')
    const ask = () => db.selectFrom('notes').selectAll().execute()
    await ask()
    for (let index = 0; index < 1000; index += 1) {
      const { rows } = await sql<{ n: number }>`select ${sql.raw(String(index))} as n`.execute(db)
      assert.equal(rows[0]?.n, index)
    }
    other.exec("alter table notes add column more text default 'new'")
    assert.deepEqual(Object.keys((await ask())[0] ?? {}), ['id', 'text', 'size', 'bytes', 'more'])
  })

  test('foreignVersion differs after a change of another connection, and not after one of its own', async () => {
    const { dialect, other, add } = await open()
    const before = dialect.foreignVersion()
    await add('ours')
    assert.equal(dialect.foreignVersion(), before)
    other.exec("insert into notes (text) values ('theirs')")
    assert.notEqual(dialect.foreignVersion(), before) // in the same turn of the event loop
  })

  test('version differs after a change of its own as well, in the same turn of the event loop', async () => {
    const { dialect, other, add } = await open()
    const before = dialect.version()
    await add('ours')
    const after = dialect.version()
    assert.notEqual(after, before)
    other.exec("insert into notes (text) values ('theirs')")
    assert.notEqual(dialect.version(), after)
  })
})
