// A database makes a difference: PostgreSQL's sessions keep statements parsed and planned.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { connect } from '../../src/core/database/connect.ts'
import type { Database, DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { UniqueViolation } from '../../src/core/database/errors.ts'
import { connectionOf, parsePostgresAddress } from '../../src/core/database/postgres/address.ts'
import { channel } from '../../src/core/database/postgres/notification.ts'
import { Session } from '../../src/core/database/postgres/session.ts'
import { type Parameters, prepared } from '../../src/core/database/prepared.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { connectTo, nodes, postgresOnly as test } from '../database.ts'
import { databasePooler } from '../database-proxy.ts'
import { until } from '../until.ts'

interface Things {
  readonly things: { id: number; name: string }
}

const things = (db: unknown) => db as Kysely<Things>
const byId = prepared((db, { id }: Parameters<{ id: number }>) =>
  things(db).selectFrom('things').selectAll().where('id', '=', id),
)
const inserted = prepared((db, { id }: Parameters<{ id: number }>) =>
  things(db).insertInto('things').values({ id, name: 'inserted' }).returning('id'),
)
const renamed = prepared((db, { id, name }: Parameters<{ id: number; name: string }>) =>
  things(db).updateTable('things').set({ name }).where('id', '=', id).returning('id'),
)

/** A database with things in it, by one connection. */
async function oneSession({ isPooled = false } = {}): Promise<Database> {
  const made = await connectTo()
  await sql`create table things (id bigint primary key, name text not null)`.execute(made.db)
  await sql`insert into things select n, 'thing ' || n from generate_series(1, 20) n`.execute(
    made.db,
  )
  await sql`analyze things`.execute(made.db)
  await made.db.destroy()
  assert.ok(made.address)
  const url = isPooled ? await databasePooler(made.address) : undefined
  const postgres = url === undefined ? made.address : parsePostgresAddress(url, () => true)
  return connect({ dataDirectory: '', timeoutMs: 10_000, postgres, poolMax: 1 }).db
}

async function kept(db: Database): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements order by prepare_time`.execute(db)
  return rows.map(({ statement }) => statement)
}

suite('kept statements', () => {
  test('a prepared query is parsed once in a session, with the same answers each time', async () => {
    const db = await oneSession()
    for (let n = 1; n <= 8; n += 1) {
      assert.deepEqual(await byId.all(db, { id: n }), [{ id: n, name: `thing ${n}` }])
    }
    assert.deepEqual(await byId.all(db, { id: 99 }), [])
    assert.deepEqual(await byId.all(db, { id: 1 }), [{ id: 1, name: 'thing 1' }])
    assert.deepEqual(await kept(db), ['select * from "things" where "id" = $1'])
    await db.destroy()
  })

  test('behind a pooler nothing is kept', async () => {
    const db = await oneSession({ isPooled: true })
    for (let n = 1; n <= 2; n += 1) assert.equal((await byId.one(db, { id: n })).id, n)
    await transact(db, ['word'], (trx) => renamed.one(trx, { id: 1, name: 'new' }))
    assert.equal((await byId.one(db, { id: 1 })).name, 'new')
    assert.deepEqual(await kept(db), [])
    await db.destroy()
  })

  const losses = [
    ['that the session has forgotten', () => sql`deallocate all`],
    [
      'whose columns another node has changed',
      () => sql`alter table things add column more text not null default 'more'`,
    ],
  ] as const
  for (const [what, loss] of losses) {
    test(`a statement ${what} is parsed anew, outside and inside a transaction`, async () => {
      const db = await oneSession()
      const first = await byId.one(db, { id: 1 })
      await loss().execute(db)
      const again = await byId.one(db, { id: 1 })
      assert.deepEqual({ ...again, ...first }, again)
      await sql`deallocate all`.execute(db)
      const work = async (trx: typeof db) => {
        await renamed.one(trx, { id: 2, name: 'new' })
        return byId.one(trx, { id: 2 })
      }
      const { name } = await transact(db, ['word'], (trx) => work(trx as Database))
      assert.equal(name, 'new')
      assert.equal((await byId.one(db, { id: 2 })).name, 'new')
      await db.destroy()
    })
  }

  test('all that a session has forgotten are parsed anew at once', async () => {
    const db = await oneSession()
    const more = ['a', 'b', 'c', 'd'].map((name) =>
      prepared((on) =>
        things(on)
          .selectFrom('things')
          .select((eb) => eb.ref('id').as(name)),
      ),
    )
    const work = async (trx: DatabaseOrTransaction) => {
      for (const query of more) await query.all(trx, {})
    }
    await transact(db, ['word'], work)
    await sql`deallocate all`.execute(db)
    await transact(db, ['word'], work)
    assert.equal((await kept(db)).length, more.length + 1) // and that of the lock
    await db.destroy()
  })

  test('other nodes are told of a change by a statement that was sent again', async () => {
    const { db: other, address } = await connectTo()
    assert.ok(address)
    const settings = { dataDirectory: '', timeoutMs: 10_000, postgres: address, poolMax: 1, nodes }
    const { db, feed } = connect(settings)
    feed.useKey?.(Buffer.alloc(32))
    await until(() => feed.isCurrent())
    const { id } = await other
      .insertInto('users')
      .values({ name: '', email: '', name_key: '', email_key: '' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const client = new pg.Client(connectionOf(address))
    await client.connect()
    let told = 0
    client.on('notification', ({ payload }) => {
      if (payload) told += 1
    })
    await client.query(`listen ${channel}`)
    const renew = `insert into nodes values ('other', 1)
      on conflict (id) do update set renewals = nodes.renewals + 1`
    const change = prepared((on, { name }: Parameters<{ name: string }>) =>
      on.updateTable('users').set({ name }).where('id', '=', id).returning('id'),
    )
    await client.query(renew)
    await change.one(db, { name: 'Ann' })
    await sql`deallocate all`.execute(db)
    await client.query(renew)
    await change.one(db, { name: 'Bo' })
    await client.query('select') // its answer comes after the notifications
    assert.equal(told, 2)
    for (const each of [db, other]) await each.destroy()
    await client.end()
  })

  test('one that fails does not stay in the way: it is sent again, and right', async () => {
    const db = await oneSession()
    await assert.rejects(inserted.one(db, { id: 1 }), UniqueViolation) // parsed, and then failed
    for (const id of [98, 99]) assert.deepEqual(await inserted.one(db, { id }), { id })
    await sql`alter table things rename to others`.execute(db)
    await assert.rejects(byId.one(db, { id: 1 }), /relation "things" does not exist/)
    await sql`alter table others rename to things`.execute(db)
    for (let n = 0; n < 2; n += 1) assert.equal((await byId.one(db, { id: 1 })).name, 'thing 1')
    await db.destroy()
  })

  test('a plan for a small table does not stay when the table grows', async () => {
    const db = await oneSession()
    for (let n = 1; n <= 8; n += 1) await byId.one(db, { id: n })
    const plan = async () => {
      const { rows } = await sql<object>`explain execute gatehouse_0 (1)`.execute(db)
      return rows.flatMap(Object.values).join('\n')
    }
    assert.match(await plan(), /^Seq Scan on things/)
    const more = sql`insert into things select n, 'thing ' || n from generate_series(21, 20000) n`
    await more.execute(db)
    assert.match(await plan(), /^Seq Scan on things/) // the server keeps it until it analyses
    const { now } = performance
    performance.now = () => now.call(performance) + 1000
    await byId.one(db, { id: 1 }).finally(() => {
      performance.now = now
    })
    assert.match(await plan(), /^Index Scan using things_pkey/)
    await db.destroy()
  })

  test('a statement whose transaction cannot begin is not executed', async () => {
    const db = await oneSession()
    const { transmit } = Session.prototype
    Session.prototype.transmit = function (this: Session, statement, before = []) {
      const broken = before.map((each) => ({ ...each, text: each.text.replace('begin', 'begun') }))
      return transmit.call(this, statement, broken)
    }
    const attempts = [
      transact(db, [], (trx) => renamed.one(trx, { id: 1, name: 'alone' })),
      transact(db, ['word'], (trx) => renamed.one(trx, { id: 1, name: 'alone' })),
      transact(db, [], (trx) => sql`update things set name = 'alone'`.execute(trx)),
      transact(db, ['word'], (trx) => sql`update things set name = 'alone'`.execute(trx)),
    ]
    const results = await Promise.allSettled(attempts)
    Session.prototype.transmit = transmit
    for (const { status } of results) assert.equal(status, 'rejected')
    assert.equal((await byId.one(db, { id: 1 })).name, 'thing 1')
    await db.destroy()
  })

  test('a transaction without a statement sends nothing', async () => {
    const db = await oneSession()
    await byId.one(db, { id: 1 })
    const { transmit } = Session.prototype
    let sent = 0
    Session.prototype.transmit = function (this: Session, statement, before) {
      sent += 1
      return transmit.call(this, statement, before)
    }
    await transact(db, ['word'], async () => {})
    await assert.rejects(
      transact(db, [], () => Promise.reject(new Error('refused'))),
      /refused/,
    )
    Session.prototype.transmit = transmit
    assert.equal(sent, 0)
    await db.destroy()
  })

  test('a lock that was sent with a statement excludes another node', async () => {
    const { db, address } = await connectTo()
    const near = connect({ dataDirectory: '', timeoutMs: 10_000, postgres: address }).db
    const far = connect({ dataDirectory: '', timeoutMs: 10_000, postgres: address }).db
    await sql`create table counters (n bigint not null)`.execute(db)
    await sql`insert into counters values (0)`.execute(db)
    const add = (node: Database) =>
      transact(node, ['word'], async (trx) => {
        const { rows } = await sql<{ n: number }>`select n from counters`.execute(trx)
        await sql`update counters set n = ${(rows[0]?.n ?? 0) + 1}`.execute(trx)
      })
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 === 0 ? near : far)))
    const { rows } = await sql<{ n: number }>`select n from counters`.execute(db)
    assert.deepEqual(rows, [{ n: 20 }])
    for (const each of [db, near, far]) await each.destroy()
  })

  test('parameters arrive as they are', async () => {
    const db = await oneSession()
    const texts = ['a "quoted" \\ text', '', 'null', '{a,b}', 'ü 🦆']
    const bytes = new Uint8Array([1, 2, 0, 255]).subarray(1)
    const { rows } = await sql<object>`
      select ${texts}::text[] = array[${sql.join(texts)}] as texts,
        ${[null]}::text[] = array[null]::text[] as none, ${[true, false]}::boolean[] as flags,
        ${[1, 2n]}::bigint[] as numbers, ${bytes}::bytea as bytes, ${2n ** 53n}::text as big,
        ${null}::text as nothing`.execute(db)
    const { bytes: got, ...rest } = { bytes: Buffer.alloc(0), ...rows[0] }
    assert.deepEqual([...got], [2, 0, 255])
    assert.deepEqual(rest, {
      texts: 1,
      none: 1,
      flags: '{t,f}',
      numbers: '{1,2}',
      big: '9007199254740992',
      nothing: null,
    })
    await assert.rejects(sql`select ${[new Uint8Array(1)]}::bytea[]`.execute(db), TypeError)
    await db.destroy()
  })
})
