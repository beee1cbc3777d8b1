import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { connect } from './connect.ts'
import { migrate } from './migrate.ts'
import { databaseFileName } from './sqlite/connect.ts'

const clock = { now: () => 1_768_478_400_000, wait: async () => {} }

const closing: (() => Promise<void> | void)[] = []
after(async () => {
  for (const close of closing.toReversed()) await close()
})

function fresh() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  // Readable for its owner only, with any umask of the process.
  writeFileSync(join(directory, databaseFileName), '', { mode: 0o600 })
  const open = () => {
    const { db } = connect({ dataDirectory: directory, timeoutMs: 2000, synchronous: 'off' })
    closing.push(() => db.destroy())
    return db
  }
  /** By a connection that knows nothing of ours. */
  const raw = <T>(use: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(join(directory, databaseFileName))
    try {
      return use(db)
    } finally {
      db.close()
    }
  }
  const schema = () =>
    raw((db) => db.prepare('select type, name, sql from sqlite_master order by name').all()).map(
      (row) => ({ ...row }),
    )
  const versions = () =>
    raw((db) => db.prepare('select version, applied_at from schema_version').all()).map((row) => ({
      ...row,
    }))
  return { open, raw, schema, versions }
}

const tables = [
  'accounts',
  'keys',
  'row_counts',
  'schema_version',
  'sessions',
  'throttle_places',
  'users',
]

suite('migrate', () => {
  test('a fresh database gets every table once, and remembers when', async () => {
    const { open, schema, versions } = fresh()
    const ran = await migrate(open(), clock)
    assert.ok(ran >= 1)
    const names = schema().flatMap(({ type, name }) => (type === 'table' ? [String(name)] : []))
    for (const name of tables) assert.ok(names.includes(name), name)
    const expected = Array.from({ length: ran }, (_, index) => ({
      version: index + 1,
      applied_at: clock.now(),
    }))
    assert.deepEqual(versions(), expected)
  })

  test('a second time nothing is done', async () => {
    const { open, schema, versions } = fresh()
    await migrate(open(), clock)
    const before = [schema(), versions()]
    assert.equal(await migrate(open(), { ...clock, now: () => 5 }), 0)
    assert.deepEqual([schema(), versions()], before)
  })

  test('of several that start at once, one does it', async () => {
    const { open, versions } = fresh()
    const databases = Array.from({ length: 5 }, open)
    const ran = await Promise.all(databases.map((db) => migrate(db, clock)))
    assert.equal(ran.filter((count) => count > 0).length, 1)
    assert.equal(versions().length, Math.max(...ran))
  })

  test('one that starts while another is at it waits until it is done', async () => {
    const { open, raw, versions } = fresh()
    raw((db) => db.exec('pragma journal_mode = wal'))
    const starting = raw((other) => {
      other.exec('begin immediate')
      const ran = migrate(open(), clock)
      ran.catch(() => {})
      other.exec('create table of_another (id integer)')
      other.exec('commit')
      return ran
    })
    const ran = await starting
    assert.equal(versions().length, ran)
  })

  for (const obstacle of ['keys', 'sessions', 'accounts', 'row_counts']) {
    test(`a migration that fails at the table ${obstacle} leaves nothing behind`, async () => {
      const { open, raw, schema } = fresh()
      raw((db) => db.exec(`create table ${obstacle} (something text)`))
      const before = schema()
      const db = open()
      await assert.rejects(migrate(db, clock), /already exists/)
      assert.deepEqual(schema(), before)
      raw((other) => other.exec(`drop table ${obstacle}`))
      assert.ok((await migrate(db, clock)) >= 1)
    })
  }

  test('a database of a newer program is refused, and not touched', async () => {
    const { open, raw, schema, versions } = fresh()
    const known = await migrate(open(), clock)
    const columns = 'schema_version (version, applied_at)'
    raw((db) => db.exec(`insert into ${columns} values (${known + 98}, 1)`))
    const before = [schema(), versions()]
    await assert.rejects(migrate(open(), clock), {
      message: `the database has schema ${known + 98}, this program knows ${known}: start a newer Gatehouse`,
    })
    assert.deepEqual([schema(), versions()], before)
  })

  test('a database of a newer program that has only added is used, and not touched', async () => {
    const { open, raw, schema, versions } = fresh()
    const known = await migrate(open(), clock)
    raw((db) => db.exec(`insert into schema_version values (${known + 1}, 1, 'expand')`))
    const before = [schema(), versions()]
    assert.equal(await migrate(open(), clock), 0)
    assert.deepEqual([schema(), versions()], before)
  })

  test('accounts and sessions go with their user, and the count of users is kept', async () => {
    const { open } = fresh()
    const db = open()
    await migrate(db, clock)
    const user = { name: 'A', email: 'a@b.co', name_key: 'a', email_key: 'a@b.co' }
    await db.insertInto('users').values([user, user, user]).execute()
    const total = async () =>
      (
        await db
          .selectFrom('row_counts')
          .select('total')
          .where('name', '=', 'users')
          .executeTakeFirst()
      )?.total
    assert.equal(await total(), 3)
    await db
      .insertInto('accounts')
      .values({
        user_id: 2,
        username: 'ann',
        locked: 0,
        active: 1,
        created_at: 0,
      })
      .execute()
    await db.insertInto('role_assignments').values({ account: 2, role: 'USER' }).execute()
    await db.insertInto('passwords').values({ account: 2, hash: 'x' }).execute()
    const session = { csrf_token: 'c', created_at: 0, last_seen_at: 0, address: '', user_agent: '' }
    await db
      .insertInto('sessions')
      .values({ id: 's', user_id: 2, ...session })
      .execute()
    await db.deleteFrom('users').where('id', '>', 1).execute()
    assert.equal(await total(), 1)
    for (const table of ['accounts', 'role_assignments', 'passwords'] as const) {
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table)
    }
    assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), [])
    const next = await db.insertInto('users').values(user).returning('id').executeTakeFirst()
    assert.equal(next?.id, 4)
  })
})
