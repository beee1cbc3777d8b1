import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { CompiledQuery, Dialect } from 'kysely'
import { connect } from '../../src/core/database/connect.ts'
import { DatabaseUnavailable, TransactionConflict } from '../../src/core/database/errors.ts'
import { type Answer, type TestApp, testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { databaseSettings, nodes, placeSqliteFile } from '../database.ts'
import { enrolled } from '../factor.ts'
import { doors, newHost } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

interface Faulty {
  readonly app: TestApp
  /** Fails once, at the statement of this number from now on; `begin` and `commit` are statements. */
  failAt(statement: number, error?: Error): void
}

const gone = new DatabaseUnavailable('gone for a moment')

/** A service whose database fails at one statement, and serves again at the next. */
async function faultyApp(): Promise<Faulty> {
  let left = 0
  let failure: Error = gone
  const step = () => {
    left -= 1
    if (left === 0) throw failure
  }
  const wrap = (dialect: Dialect): Dialect => ({
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver() {
      const driver = dialect.createDriver()
      return {
        init: (options) => driver.init(options),
        destroy: (options) => driver.destroy(options),
        releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
        rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
        async acquireConnection(options) {
          const connection = await driver.acquireConnection(options)
          const execute = connection.executeQuery.bind(connection)
          connection.executeQuery = async <R>(query: CompiledQuery) => {
            step()
            return execute<R>(query)
          }
          return connection // a lease, made for this use alone
        },
        async beginTransaction(connection, settings) {
          step()
          await driver.beginTransaction(connection, settings)
        },
        async commitTransaction(connection) {
          step()
          await driver.commitTransaction(connection)
        },
      }
    },
  })
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await placeSqliteFile(directory)
  const { database } = loadConfig({ NODE_ENV: 'test', ...(await databaseSettings(directory)) })
  const { feed, ...connected } = connect({ ...database, synchronous: 'off', wrap, nodes })
  const deps = { ...connected, feed: { ...feed, isCurrent: () => true } }
  return {
    app: await testApp({}, { directory, deps }),
    failAt(statement, error = gone) {
      left = statement
      failure = error
    },
  }
}

suite('a database that goes away in the middle of a login', async () => {
  const { app, failAt } = await faultyApp()
  const ann = await app.account('ann')
  const bob = await app.account('bob')
  const headers = await app.session(bob)

  /** Fails at each statement in turn, until it comes through; answers how many failed. */
  async function failEach(attempt: () => Promise<Answer>, kept: readonly string[] = []) {
    for (let at = 1; ; at += 1) {
      const before = await app.rows(...kept)
      const told = app.log.length
      failAt(at)
      const answer = await attempt()
      failAt(0)
      if (answer.status === 200) return at - 1
      assertRefusal(answer, 503, 'Service unavailable', `statement ${at}`)
      assert.deepEqual(answer.cookies, {})
      assert.deepEqual(await app.rows(...kept), before, `statement ${at}`)
      const events = app.log.slice(told).map(({ event }) => event)
      assert.deepEqual(
        events.filter((event) => event !== undefined),
        [],
        `statement ${at}`,
      )
      assert.ok(at < 100)
    }
  }

  const wholly: Record<string, () => Promise<Answer>> = {
    session: () => doors['form, session'](app, ann, { from: newHost() }),
    token: () => doors.JSON(app, ann, { from: newHost() }),
    pair: () => doors['JSON, pair'](app, ann, { from: newHost() }),
    'a new password': () =>
      app.call('PUT', '/api/account/password', {
        headers,
        from: newHost(),
        json: { current_password: bob.password, new_password: 'quiet melons roll uphill' },
      }),
  }
  for (const [name, attempt] of Object.entries(wholly)) {
    test(`leaves nothing half done: ${name}`, async () => {
      assert.ok((await failEach(attempt)) >= 8)
    })
  }

  test('is begun anew where another transaction was in the way, and tells of it once', async () => {
    const events = ['session_created', 'authn_login_success']
    const counted = ['sessions', 'known_devices']
    let begunAnew = 0
    for (let at = 1; at <= 17; at += 1) {
      const before = await app.rows(...counted)
      const had = await app.rows()
      const told = app.log.length
      failAt(at, new TransactionConflict({ cause: null }))
      const answer = await doors['form, session'](app, ann, { from: `203.0.${at}.1` }) // a new device
      failAt(0)
      assert.deepEqual(await app.rows(...counted), before, `statement ${at}`)
      const isDone = answer.status === 200
      if (isDone) begunAnew += 1
      else assertRefusal(answer, 503, 'Service unavailable', `statement ${at}`)
      const has = await app.rows()
      for (const table of counted) {
        const made = (has[table]?.length ?? 0) - (had[table]?.length ?? 0)
        assert.equal(made, isDone ? 1 : 0, `statement ${at}: ${table}`)
      }
      assert.deepEqual(
        app.log.slice(told).flatMap(({ event }) => event ?? []),
        isDone ? events : [],
      )
    }
    assert.ok(begunAnew >= 16, 'all but the read of the account are in a transaction')
  })

  test('leaves nothing half done behind a code: each is good for one try', async () => {
    const { who, device } = await enrolled(app, 'two')
    const attempt = () => {
      app.clock.advance(30)
      const json = { ...who, totp: device.code(), mode: 'session' }
      return app.call('POST', '/login', { json, from: newHost() })
    }
    const failed = await failEach(attempt, ['second_factors', 'throttle_places'])
    assert.ok(failed >= 18)
    assert.deepEqual((await app.rows()).throttle_places, [])
  })
})
