// A database makes a difference: PostgreSQL alone has these settings.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../src/core/database/connect.ts'
import type { Database } from '../../src/core/database/database.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import { serverWarnings } from '../../src/core/database/postgres/server.ts'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { connectTo, heard, postgresOnly as test } from '../database.ts'
import { enrolled } from '../factor.ts'
import { until } from '../until.ts'

const clock = fixedClock()

/** Lets the sessions to come of this database begin with other settings. */
async function alter(db: Database, ...settings: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  for (const setting of settings) {
    await sql`alter database ${sql.ref(rows[0]?.name ?? '')} ${sql.raw(setting)}`.execute(db)
  }
}

suite('a PostgreSQL database with settings of its own', () => {
  test('is worked on with ours', async () => {
    const { db, directory } = await connectTo()
    await alter(
      db,
      "set default_transaction_isolation = 'serializable'",
      'set bytea_output = escape',
      'set standard_conforming_strings = off',
      'set statement_timeout = 60',
      'set lock_timeout = 60',
      "set timezone = 'Pacific/Apia'",
      "set datestyle = 'German'",
      'set extra_float_digits = -15',
      'set enable_seqscan = off',
    )
    const app = await testApp({ DATABASE_TIMEOUT_MS: '10000' }, { directory })
    const shown = await sql<Record<string, string>>`
      select current_setting('transaction_isolation') as isolation,
        current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        '\\x00ff'::bytea as bytes`.execute(app.deps.db)
    assert.deepEqual(
      { ...shown.rows[0], bytes: Buffer.from(shown.rows[0]?.bytes ?? '').toString('hex') },
      { isolation: 'read committed', statement: '9s', lock: '9s', bytes: '00ff' },
    )
    const { who, device } = await enrolled(app, 'fac') // its secret is stored as bytes
    app.clock.advance(30)
    const json = { username: who.username, password: who.password, totp: device.code() }
    assert.equal((await app.call('POST', '/login', { json })).status, 200)
    const headers = await app.bearer(app.admin)
    assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
    await heard(app)
    assert.equal((await app.call('GET', '/api/me', { headers })).status, 401)
    await alter(db, 'reset all')
    await db.destroy()
  })

  test('that takes no changes is 503 and not ready, and is not started on', async () => {
    const app = await testApp()
    const { db, directory } = await connectTo({ directory: app.directory })
    const headers = app.basic(app.admin)
    const ready = async () => (await app.call('GET', '/health/ready')).status
    assert.equal(await ready(), 200)
    const renew = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    const untilReady = (wanted: number) => until(async () => (await ready()) === wanted)

    await alter(db, 'set default_transaction_read_only = on')
    await renew.execute(db)
    await untilReady(503)
    assert.equal((await app.call('GET', '/users', { headers })).status, 503, 'a login is counted')
    const rows = await app.rows()
    const json = { name: 'A', email: 'a@example.org' }
    assert.equal((await app.call('POST', '/users', { headers, json })).status, 503)
    assert.deepEqual(await app.rows(), rows)
    const late = await connectTo({ directory })
    await assert.rejects(migrate(late.db, clock), /the database takes no changes/)
    await late.db.destroy()

    await alter(db, 'reset all')
    await renew.execute(db)
    await untilReady(200)
    assert.equal((await app.call('POST', '/users', { headers, json })).status, 201)
    await db.destroy()
  })

  test('that lets commits go unwritten is warned of', async () => {
    const { db, directory } = await connectTo()
    assert.doesNotMatch((await serverWarnings(db)).join(), /synchronous_commit/)
    await alter(db, 'set synchronous_commit = off')
    const next = await connectTo({ directory })
    assert.match(
      (await serverWarnings(next.db)).join('\n'),
      /^DATABASE_URL: synchronous_commit is off: /m,
    )
    await alter(db, 'reset all')
    await next.db.destroy()
    await db.destroy()
  })

  test('in another encoding is refused', async () => {
    const { db, address } = await connectTo()
    const database = `gatehouse_latin_${process.pid}`
    const how = sql.raw("template template0 encoding 'LATIN1' locale 'C'")
    await sql`create database ${sql.ref(database)} ${how}`.execute(db)
    const latin = connect({
      dataDirectory: '',
      timeoutMs: 2000,
      postgres: address && { ...address, database },
    })
    await assert.rejects(migrate(latin.db, clock), /the encoding LATIN1: Gatehouse needs .* 'UTF8'/)
    await latin.db.destroy()
    await sql`drop database ${sql.ref(database)}`.execute(db)
    await db.destroy()
  })
})
