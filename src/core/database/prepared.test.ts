import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import type { Dialect } from 'kysely'
import { connect } from './connect.ts'
import { type Database, execute } from './database.ts'
import { type ListParameters, type Parameters, prepared, preparedForLists } from './prepared.ts'
import { databaseFileName } from './sqlite/connect.ts'

suite('prepared', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const { db } = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
  after(async () => {
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
  await execute(db, 'create table used_challenges (nonce text, expires_at integer)')
  let builds = 0
  const between = prepared((from, { low, high }: Parameters<{ low: number; high: number }>) => {
    builds += 1
    return from
      .selectFrom('used_challenges')
      .select('nonce')
      .where('expires_at', '>', low)
      .where('nonce', '!=', 'never')
      .where('expires_at', '<', high)
      .orderBy('nonce')
  })
  const inserted = prepared((from, row: Parameters<{ nonce: string; expires_at: number }>) =>
    from
      .insertInto('used_challenges')
      .values({ nonce: row.nonce, expires_at: row.expires_at })
      .returning('nonce'),
  )
  const injection = "x' or '1' = '1"
  for (const [nonce, expires_at] of [
    ['a', 1],
    ['b', 2],
    [injection, 3],
    ['d', 4],
  ] as const) {
    assert.deepEqual(await inserted.one(db, { nonce, expires_at }), { nonce })
  }
  const names = (rows: readonly { nonce: string }[]) => rows.map(({ nonce }) => nonce)

  test('binds the values of each call by their names, and builds the query once', async () => {
    builds = 0
    assert.deepEqual(names(await between.all(db, { high: 4, low: 1 })), ['b', injection])
    assert.deepEqual(names(await between.all(db, { low: 0, high: 2 })), ['a'])
    assert.deepEqual(names(await between.all(db, { low: 9, high: 0 })), [])
    assert.equal(builds, 1)
  })

  test('of lists, it binds each value at its place, and is built once for each number of them', async () => {
    type Named = ListParameters<{ names: { nonce: string }[]; others: { nonce: string }[] }>
    let builds = 0
    const either = preparedForLists(
      (from, { names, others }: Named, { low }: Parameters<{ low: number }>) => {
        builds += 1
        return from
          .selectFrom('used_challenges')
          .select('nonce')
          .where('expires_at', '>', low)
          .where((eb) => eb.or([...names, ...others].map(({ nonce }) => eb('nonce', '=', nonce))))
          .orderBy('nonce')
      },
    )
    const of = (...nonces: string[]) => nonces.map((nonce) => ({ nonce }))
    const read = async (one: string[], other: string[], low = 0) =>
      names(await either.all(db, { names: of(...one), others: of(...other) }, { low }))
    assert.deepEqual(await read(['a', 'b'], ['d']), ['a', 'b', 'd'])
    assert.deepEqual(await read(['d', 'none'], [injection], 3), ['d'])
    assert.equal(builds, 1)
    assert.deepEqual(await read(['a'], ['b', 'd']), ['a', 'b', 'd'], 'as many, in other lists')
    assert.deepEqual(await read([], ['a']), ['a'])
    assert.equal(builds, 3)
  })

  test('reads in the transaction that it is given', async () => {
    const undone = db.transaction().execute(async (trx) => {
      await inserted.one(trx, { nonce: 'c', expires_at: 5 })
      assert.deepEqual(names(await between.all(trx, { low: 4, high: 6 })), ['c'])
      throw new Error('of the work')
    })
    await assert.rejects(undone, /of the work/)
    assert.deepEqual(names(await between.all(db, { low: 4, high: 6 })), [])
  })

  test('is built for each database, which may have another dialect', async () => {
    const other = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
    builds = 0
    await between.all(db, { low: 0, high: 2 })
    assert.deepEqual(names(await between.all(other.db, { low: 0, high: 2 })), ['a'])
    await other.db.destroy()
    assert.equal(builds, 1)
  })

  test('belongs to one schema: another database, or a schema in it, has its own text and columns', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const other = connect({ dataDirectory: elsewhere, timeoutMs: 1000, synchronous: 'off' })
    const all = prepared((from, { low }: Parameters<{ low: number }>) =>
      from.selectFrom('used_challenges').selectAll().where('expires_at', '>', low),
    )
    await execute(
      other.db,
      'create table used_challenges (module text, expires_at text, nonce text)',
    )
    await execute(other.db, "insert into used_challenges values ('of a module', 'later', 'z')")
    const ofModule = [{ module: 'of a module', expires_at: 'later', nonce: 'z' }]
    const ofOurs = [{ nonce: 'd', expires_at: 4 }]
    const temporary = db.withSchema('temp')
    for (const _ of [1, 2]) {
      assert.deepEqual(await all.all(db, { low: 3 }), ofOurs)
      assert.deepEqual(await all.all(other.db, { low: 3 }), ofModule)
      await assert.rejects(all.all(temporary, { low: 3 }), /no such table: temp.used_challenges/)
    }
    await other.db.destroy()
    rmSync(elsewhere, { recursive: true })
  })

  test('reads at once outside a transaction, unless the dialect is wrapped', async () => {
    const file = new DatabaseSync(join(directory, databaseFileName))
    const settings = { dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' } as const
    const wrap = (dialect: Dialect): Dialect => ({
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => dialect.createDriver(),
      createIntrospector: (given) => dialect.createIntrospector(given),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    })
    const wrapped = connect({ ...settings, wrap })
    const sees = async (from: Database, nonce: string) => {
      file.exec(`insert into used_challenges values ('${nonce}', 7)`)
      const rows = between.all(from, { low: 6, high: 8 })
      file.exec(`delete from used_challenges where nonce = '${nonce}'`)
      return names(await rows)
    }
    await between.all(wrapped.db, { low: 6, high: 8 })
    assert.deepEqual(await sees(db, 'e'), ['e'])
    assert.deepEqual(await sees(wrapped.db, 'e'), [])
    file.close()
    await wrapped.db.destroy()
    const other = connect(settings)
    await between.all(other.db, { low: 6, high: 8 })
    await other.db.destroy()
    await assert.rejects(between.all(other.db, { low: 6, high: 8 }), /destroyed/)
  })

  test('answers the first row, undefined or an error if there is none', async () => {
    assert.deepEqual(await between.first(db, { low: 0, high: 9 }), { nonce: 'a' })
    assert.equal(await between.first(db, { low: 8, high: 9 }), undefined)
    await assert.rejects(between.one(db, { low: 8, high: 9 }), /no row/)
  })

  test('refuses a value that cannot be bound', async () => {
    const values = { low: Number.NaN, high: 9 }
    await assert.rejects(between.all(db, values), TypeError)
    await assert.rejects(between.all(db, { low: 1 } as typeof values), TypeError)
  })
})
