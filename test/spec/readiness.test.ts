// A database makes a difference: it is away, read-only or of another schema in ways of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, readFileSync, renameSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { latestSchema } from '../../src/core/database/migrate.ts'
import { createNodeLease } from '../../src/core/database/postgres/node-lease.ts'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { loadMonitoring } from '../../src/core/module/monitoring.ts'
import { soleProcess } from '../../src/core/workers/workers.ts'
import { maxFeedLagMs } from '../../src/modules/health/readiness.ts'
import { modules } from '../../src/modules.ts'
import { overview as german } from '../../web/console/views/overview/de.ts'
import { overview as english } from '../../web/console/views/overview/en.ts'
import { type TestApp, testApp } from '../app.ts'
import {
  connectTo,
  databaseLock,
  databaseSettings,
  heard,
  postgresOnly,
  sqliteOnly,
} from '../database.ts'
import { module as notes } from '../example-module/module.ts'
import { makeReadOnly } from '../read-only-folder.ts'
import { assertRefusal } from '../refusal.ts'
import { tracedApp } from '../traced-app.ts'
import { until } from '../until.ts'

const ready = (app: TestApp) => app.call('GET', '/health/ready')
const told = (app: TestApp) =>
  app.log.filter(({ msg }) => msg === 'not ready' || msg === 'ready again')

/** Asks three times: each probe is refused, and one line of the log says why. */
async function assertNotReady(app: TestApp, reason: string): Promise<void> {
  app.log.length = 0
  for (let probe = 0; probe < 3; probe += 1) {
    const answer = await ready(app)
    assertRefusal(answer, 503, 'Service unavailable')
    assert.equal(answer.headers['retry-after'], '1')
  }
  assert.deepEqual(
    app.log.map(({ level, msg, reason }) => ({ level, msg, reason })),
    [{ level: 'warn', msg: 'not ready', reason }],
  )
  const live = await app.call('GET', '/health/live')
  assert.deepEqual([live.status, live.body], [200, { status: 'live' }])
}

/** Asks three times: each probe succeeds, and one line of the log says so. */
async function assertReadyAgain(app: TestApp): Promise<void> {
  app.log.length = 0
  for (let probe = 0; probe < 3; probe += 1) {
    const answer = await ready(app)
    assert.deepEqual([answer.status, answer.body], [200, { status: 'ready' }])
  }
  assert.deepEqual(
    app.log.map(({ level, msg }) => ({ level, msg })),
    [{ level: 'info', msg: 'ready again' }],
  )
}

/** A port of loopback on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  server.close()
  return port
}

suite('ready is 503', () => {
  postgresOnly('while the server takes no connections, and 200 again when it does', async () => {
    const app = await testApp()
    const { DATABASE_URL = '' } = await databaseSettings(app.directory)
    const name = /localhost\/([^?]+)/.exec(DATABASE_URL)?.[1] ?? ''
    assert.equal((await ready(app)).status, 200)
    const other = new pg.Client(DATABASE_URL.replace(`/${name}?`, '/postgres?'))
    await other.connect()
    const allow = async (isAllowed: boolean) => {
      await other.query(`alter database ${name} allow_connections ${isAllowed}`)
      await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${name}'`)
    }
    await allow(false)
    await until(async () => (await ready(app)).status === 503) // the pool has lost its connections
    await ready(app)
    assert.deepEqual(
      // The detail is of what the first probe met: a connection that ends, or none.
      told(app).map(({ reason, detail }) => [reason, typeof detail]),
      [['database', 'string']],
    )
    await allow(true)
    await assertReadyAgain(app)
    await other.end()
  })

  sqliteOnly('while the file is another than the one that is open', async () => {
    const app = await testApp()
    const path = join(app.directory, databaseFileName)
    assert.equal((await ready(app)).status, 200)
    copyFileSync(path, `${path}.copy`)
    renameSync(path, `${path}.old`)
    renameSync(`${path}.copy`, path)
    await assertNotReady(app, 'replaced')
    renameSync(`${path}.old`, path)
    await assertReadyAgain(app)
  })

  sqliteOnly('while the file cannot be written', async (t?: { skip(): void }) => {
    const app = await testApp()
    assert.equal((await ready(app)).status, 200)
    const undo = makeReadOnly(app.directory)
    if (!undo) return t?.skip()
    try {
      await assertNotReady(app, 'read_only')
    } finally {
      undo()
    }
    await assertReadyAgain(app)
  })

  postgresOnly('while the server takes no changes', async () => {
    const app = await testApp()
    assert.equal((await ready(app)).status, 200)
    const { db } = await connectTo({ directory: app.directory })
    const name = sql<{ name: string }>`select current_database() as name`
    const database = sql.ref((await name.execute(db)).rows[0]?.name ?? '')
    const renew = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await sql`alter database ${database} set default_transaction_read_only = on`.execute(db)
    await renew.execute(db)
    await until(async () => {
      await ready(app)
      return told(app).at(-1)?.reason === 'read_only'
    })
    await sql`alter database ${database} reset all`.execute(db)
    await renew.execute(db)
    await until(async () => (await ready(app)).status === 200)
    await db.destroy()
  })

  test('while the schema is older, and not while it is newer', async () => {
    const app = await testApp()
    assert.equal((await ready(app)).status, 200)
    const { db } = app.deps
    const latest = { version: latestSchema, applied_at: 1 }
    await db.deleteFrom('schema_version').where('version', '=', latestSchema).execute()
    await assertNotReady(app, 'schema')
    await db.insertInto('schema_version').values(latest).execute()
    await assertReadyAgain(app)
    const newer = { ...latest, version: latestSchema + 1 }
    await db.insertInto('schema_version').values(newer).execute()
    assert.equal((await ready(app)).status, 200, 'a node of the next version works beside this one')
    await sql`drop table schema_version`.execute(db)
    await assertNotReady(app, 'schema')
  })

  test('while the schema of a module from outside is older', async () => {
    const app = await testApp({}, { modules: [...modules, notes] })
    assert.equal((await ready(app)).status, 200)
    const kept = await app.deps.db.selectFrom('room_schemas').selectAll().execute()
    assert.ok(kept.length > 0)
    await app.deps.db.deleteFrom('room_schemas').execute()
    await assertNotReady(app, 'schema')
    await app.deps.db.insertInto('room_schemas').values(kept).execute()
    await assertReadyAgain(app)
  })

  test('until there is the first account, which is not asked for again', async () => {
    const app = await testApp()
    const { db } = app.deps
    const kept = await db.selectFrom('accounts').selectAll().execute()
    await db.deleteFrom('accounts').execute()
    await assertNotReady(app, 'first_start')
    await db.insertInto('accounts').values(kept).execute()
    await assertReadyAgain(app)
    await db.deleteFrom('accounts').execute()
    assert.equal((await ready(app)).status, 200)
  })

  test('while the key set cannot be opened', async () => {
    const app = await testApp()
    assert.equal((await ready(app)).status, 200)
    const other = await connectTo({ directory: app.directory })
    const [key] = await other.db.selectFrom('keys').selectAll().limit(1).execute()
    assert.ok(key)
    await other.db
      .insertInto('keys')
      .values({ ...key, id: 'of another master key' })
      .execute()
    await heard(app)
    await assertNotReady(app, 'keys')
    assert.match(String(app.log[0]?.detail), /the master key does not open the key set/)
    await other.db.deleteFrom('keys').where('id', '=', 'of another master key').execute()
    await heard(app)
    await assertReadyAgain(app)
    await other.db.destroy()
  })

  test('while the change feed has heard nothing for half a minute', async () => {
    const own = await testApp()
    let lagMs = maxFeedLagMs - 1
    const feed = { ...own.deps.feed, lagMs: () => lagMs }
    const app = await testApp({}, { directory: own.directory, deps: { feed } })
    assert.equal((await ready(app)).status, 200)
    lagMs = maxFeedLagMs
    await assertNotReady(app, 'feed')
    lagMs = 0
    await assertReadyAgain(app)
    await app.close()
  })

  postgresOnly('by a feed that cannot connect, not by one that rests', async () => {
    const feed = createNodeLease({ host: '127.0.0.1', port: await closedPort() })
    after(feed.close)
    assert.equal(feed.lagMs?.(), 0)
    feed.isCurrent()
    await until(() => Number(feed.lagMs?.()) > 0)
    const { feed: other, db } = await connectTo()
    assert.equal(other.lagMs?.(), 0)
    await until(() => other.isCurrent())
    assert.ok(Number(other.lagMs?.()) < maxFeedLagMs)
    await db.destroy()
  })
})

suite('ready stays 200', () => {
  test('while providers, breached passwords and the collector are away', async () => {
    const away = `http://127.0.0.1:${await closedPort()}`
    const app = await tracedApp({
      OIDC_ISSUER: away,
      OIDC_CLIENT_ID: 'gatehouse',
      OIDC_AUDIENCE: 'api',
      PASSWORD_BREACH_URL: `${away}/range`,
      OTEL_EXPORTER_OTLP_ENDPOINT: away,
    })
    assert.equal((await app.call('GET', '/oauth/login')).status, 503)
    await app.account('ann')
    assert.ok(app.log.some(({ event }) => event === 'password_breach_query_fail'))
    assert.equal((await ready(app)).status, 200)
    assert.deepEqual(told(app), [])
    await app.close()
    assert.ok(Number(app.deps.traces?.counts.spansDropped()) > 0)
  })

  test('while the queue of hashes is full, which any caller can do', async () => {
    // One hash at a time, and one that waits: what WORKERS would leave of a small machine.
    const app = await testApp({}, { deps: { workers: { ...soleProcess, share: () => 1 } } })
    const logins = Array.from({ length: 40 }, (_, number) =>
      app.call('POST', '/login', {
        json: { username: `none-${number}`, password: 'a password of no account' },
        from: `198.51.100.${number}`,
      }),
    )
    const probes = await Promise.all([ready(app), ready(app), ready(app)])
    assert.ok((await Promise.all(logins)).some(({ status }) => status === 503))
    for (const { status } of probes) assert.equal(status, 200)
    assert.deepEqual(told(app), [])
  })

  sqliteOnly('while another process holds the lock of the database', async () => {
    const app = await testApp()
    const lock = await databaseLock(app)
    await lock.hold()
    assert.equal((await ready(app)).status, 200)
    await lock.release()
  })

  test('and a check is shared by those that ask at the same time', async () => {
    const own = await testApp()
    let checks = 0
    const app = await testApp(
      {},
      {
        directory: own.directory,
        deps: {
          assertDatabaseServes: () => {
            checks += 1
            return own.deps.assertDatabaseServes()
          },
        },
      },
    )
    const answers = await Promise.all(Array.from({ length: 50 }, () => ready(app)))
    for (const { status } of answers) assert.equal(status, 200)
    assert.ok(checks < 50, `${checks} checks`)
    await app.close()
  })
})

test('docs/health.md has a row for each reason and each warning, the console a text', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/health.md'), 'utf8')
  const file = join(import.meta.dirname, '../../src/modules/health/readiness.ts')
  const [, union = ''] = /type NotReady =(.*?)\n\n/s.exec(readFileSync(file, 'utf8')) ?? []
  const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name)
  const monitoring = await loadMonitoring(modules)
  const warnings = monitoring.flatMap(({ readinessWarnings = [] }) => readinessWarnings)
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual([reasons.length, warnings.length], [9, 3])
  assert.deepEqual(rows.toSorted(), [...reasons, ...warnings].toSorted())
  for (const { works } of [english, german]) {
    assert.deepEqual(Object.keys(works.notReady), reasons, 'the console')
  }
})
