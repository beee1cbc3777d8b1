import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { afterCommit } from '../../src/core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { DatabaseUnavailable, TransactionConflict } from '../../src/core/database/errors.ts'
import { inSnapshot } from '../../src/core/database/snapshot.ts'
import { transact } from '../../src/core/database/transactions.ts'
import type { RecordedEvent, Sinks } from '../../src/core/events/events.ts'
import { eventType } from '../../src/core/events/types.ts'
import { type Answer, type Call, testApp } from '../app.ts'
import { restore } from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { backupOf, passphrase, place } from '../copies.ts'
import { testEvent } from '../events.ts'
import { beginEnrolment } from '../factor.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'
import { importLines, line } from '../transfer.ts'
import { until } from '../until.ts'

/** Of an import that failed a row stays, until a job removes it. */
const besides = ['imports']

/** Sinks that a test looks into, and can break. */
function watchedSinks() {
  const inside: string[] = []
  const told: RecordedEvent[] = []
  const broken: { inside?: () => void; afterCommit?: () => void } = {}
  const sinks: Sinks = {
    inside: [
      async (trx, { type }) => {
        assert.equal(trx.isTransaction, true)
        inside.push(type.name)
        broken.inside?.()
      },
    ],
    afterCommit: [() => broken.afterCommit?.(), (event) => void told.push(event)],
  }
  const forget = () => {
    inside.length = 0
    told.length = 0
  }
  return { sinks, inside, told, broken, forget }
}

const noted = testEvent<{ note: string }>('noted')
type Located = { note: string; address: string }

suite('an event and its transaction', async () => {
  const { sinks, inside, told, forget } = watchedSinks()
  const { deps } = await testApp({}, { sinks })
  const { db, events } = deps
  const notes = () => told.map(({ payload }) => payload.note)
  const insert = (trx: DatabaseOrTransaction, note: string) =>
    trx
      .insertInto('users')
      .values({ name: note, email: 'n@example.org', name_key: note, email_key: 'n' })
      .execute()
  const users = async () =>
    (await db.selectFrom('users').select('name').execute()).map(({ name }) => name)

  test('is told once its transaction is committed, outside of it and in order', async () => {
    forget()
    let seen: Promise<string[]> | undefined
    await transact(db, [], async (trx) => {
      await insert(trx, 'one')
      await events.emitInTransaction(trx, noted, { note: 'first' })
      // Inside the transaction this would wait for its end for ever.
      afterCommit(trx, () => {
        seen = transact(db, [], () => users())
      })
      await events.emitInTransaction(trx, noted, { note: 'second' })
      assert.deepEqual([inside, notes()], [['noted', 'noted'], []])
    })
    assert.deepEqual(notes(), ['first', 'second'])
    assert.ok((await seen)?.includes('one'))
  })

  test('is told of by any object of the same transaction', async () => {
    forget()
    await transact(db, [], (trx) =>
      events.emitInTransaction(trx.withTables<{ more: object }>(), noted, { note: 'x' }),
    )
    assert.deepEqual(notes(), ['x'])
  })

  test('is not told where the transaction is undone', async () => {
    forget()
    const undone = transact(db, [], async (trx) => {
      await insert(trx, 'undone')
      await events.emitInTransaction(trx, noted, { note: 'undone' })
      throw new Error('no')
    })
    await assert.rejects(undone, /no/)
    assert.deepEqual([notes(), (await users()).includes('undone')], [[], false])
  })

  test('is told once where the transaction is begun anew', async () => {
    forget()
    let attempts = 0
    await transact(db, [], async (trx) => {
      attempts += 1
      await events.emitInTransaction(trx, noted, { note: `attempt ${attempts}` })
      if (attempts < 3) throw new TransactionConflict({ cause: null })
    })
    assert.deepEqual([inside.length, notes()], [3, ['attempt 3']])
  })

  test('is not told of the transaction around its own', async () => {
    forget()
    const other = await testApp()
    const outer = transact(db, [], async () => {
      await transact(other.deps.db, [], (trx) =>
        events.emitInTransaction(trx, noted, { note: 'inner' }),
      )
      assert.deepEqual(notes(), ['inner'])
      throw new Error('outer')
    })
    await assert.rejects(outer, /outer/)
    assert.deepEqual(notes(), ['inner'])
  })

  test('cannot be recorded without a transaction, nor once it is over', async () => {
    forget()
    const none = /no transaction to commit/
    await assert.rejects(events.emitInTransaction(db, noted, { note: 'none' }), none)
    let late: DatabaseOrTransaction = db
    await transact(db, [], async (trx) => {
      late = trx
      await assert.rejects(events.emitInTransaction(db, noted, { note: 'beside' }), none)
    })
    await assert.rejects(events.emitInTransaction(late, noted, { note: 'late' }), none)
    await assert.rejects(
      inSnapshot(db, (trx) => events.emitInTransaction(trx, noted, { note: 'reading' })),
      none,
    )
    assert.deepEqual([inside, told], [[], []])
  })

  test('is told at once where nothing changed', () => {
    forget()
    events.emit(noted, { note: 'refused' })
    assert.deepEqual([inside, notes()], [[], ['refused']])
  })

  test('what follows a commit is all done, though some of it throws', async () => {
    const done: string[] = []
    const work = transact(db, [], async (trx) => {
      await insert(trx, 'kept')
      afterCommit(trx, () => {
        throw new Error('first')
      })
      afterCommit(trx, () => void done.push('second'))
    })
    await assert.rejects(work, /committed, but not finished/)
    assert.deepEqual([done, (await users()).includes('kept')], [['second'], true])
  })

  test('has no field for what its context says, and none that its type does not name', () => {
    // The types refuse it; nothing is called.
    const refused = [
      // @ts-expect-error who did it
      () => eventType<{ by: string }>('noted', { ...noted, fields: { by: '' } }),
      // @ts-expect-error from where
      () => eventType<Located>('noted', { ...noted, fields: { note: '', address: '' } }),
      // @ts-expect-error another field
      () => events.emit(noted, { note: 'x', more: 'y' }),
      // @ts-expect-error no field
      () => events.emit(noted, {}),
    ]
    assert.equal(refused.length, 4)
  })

  test('knows when it was recorded', async () => {
    forget()
    await transact(db, [], (trx) => events.emitInTransaction(trx, noted, { note: 'now' }))
    assert.equal(told[0]?.at, deps.clock.now())
  })
})

suite('a sink that fails', async () => {
  const { sinks, inside, told, broken, forget } = watchedSinks()
  const app = await testApp({}, { sinks })
  const admin = await app.bearer(app.admin)
  const ann = await app.account('ann')
  const annHeaders = await app.session(ann)
  const json = { name: 'Bob', email: 'bob@example.org' }
  let count = 0

  type Change = () => Promise<Answer>
  const call = async (method: string, path: string, more: Call = {}): Promise<Change> => {
    return () => app.call(method, path, { headers: admin, ...more })
  }
  const user = async () => (await app.call('POST', '/users', { headers: admin, json })).body.id
  const someone = () => app.account(`someone${++count}`)

  /** What it takes is done first; then the change, as often as it is asked for. */
  const changes: Record<string, () => Promise<Change>> = {
    'POST /users': () => call('POST', '/users', { json }),
    'POST /users with an idempotency key': () =>
      call('POST', '/users', { json, headers: { ...admin, 'idempotency-key': `k${++count}` } }),
    'PUT /users/{id}': async () => call('PUT', `/users/${await user()}`, { json: { name: 'Cid' } }),
    'DELETE /users/{id}': async () => call('DELETE', `/users/${(await someone()).userId}`),
    'POST /api/posts': () => call('POST', '/api/posts', { json: { title: 'One' } }),
    'DELETE /api/posts/{id}': async () =>
      call('DELETE', `/api/posts/${(await seedPosts(app, 1))[0]}`),
    'PUT /api/admin/posts/{id}/lock': async () =>
      call('PUT', `/api/admin/posts/${(await seedPosts(app, 1))[0]}/lock`),
    'POST /api/admin/accounts': () =>
      call('POST', '/api/admin/accounts', {
        json: {
          ...json,
          username: `made${++count}`,
          password: 'quiet melons roll uphill',
          roles: ['USER'],
        },
      }),
    'PUT /api/admin/accounts/{username}': async () =>
      call('PUT', `/api/admin/accounts/${(await someone()).username}`, {
        json: { roles: ['EDITOR'], password: 'quiet melons roll uphill' },
      }),
    'DELETE /api/admin/accounts/{username}': async () =>
      call('DELETE', `/api/admin/accounts/${(await someone()).username}`),
    'DELETE /api/admin/accounts/{username}/sessions': async () => {
      const who = await someone()
      await app.session(who)
      return call('DELETE', `/api/admin/accounts/${who.username}/sessions`)
    },
    'DELETE /api/admin/throttle/{username}': async () => {
      const { username } = await someone()
      await app.call('POST', '/login', { json: { username, password: 'wrong' } })
      return call('DELETE', `/api/admin/throttle/${username}`)
    },
    'POST /api/admin/tokens/revoke': async () =>
      call('POST', '/api/admin/tokens/revoke', {
        json: { token: await app.token(await someone()) },
      }),
    'POST /api/admin/import/accounts': async () => () =>
      importLines(app, admin, [line(`imported${++count}`)]),
    'PUT /api/account/totp': async () => {
      const headers = await app.bearer(await someone())
      const code = await beginEnrolment(app, headers)
      return () => app.call('PUT', '/api/account/totp', { headers, json: { totp: code() } })
    },
    'POST /api/transfer': () => call('POST', '/api/transfer', { headers: annHeaders }),
    'POST /refresh': async () => {
      const form = { refresh_token: (await app.pair(await someone())).refresh_token }
      return () => app.call('POST', '/refresh', { form })
    },
    'POST /logout': async () => {
      const headers = { cookie: (await app.session(await someone())).cookie }
      return () => app.call('POST', '/logout', { headers })
    },
  }

  for (const [name, prepare] of Object.entries(changes)) {
    test(`inside the transaction, it undoes ${name}, and nothing is told`, async () => {
      const change = await prepare()
      const before = await app.rows(...besides)
      for (const [failure, status, error] of [
        [new Error('the sink is full'), 500, 'Internal server error'],
        [new DatabaseUnavailable('the sink is locked'), 503, 'Service unavailable'],
      ] as const) {
        forget()
        broken.inside = () => {
          throw failure
        }
        const answer = await change()
        delete broken.inside
        assertRefusal(answer, status, error, name)
        assert.equal(inside.length, 1)
        assert.deepEqual(told, [])
        assert.deepEqual(await app.rows(...besides), before)
      }
      assert.ok((await change()).status < 300)
      assert.ok(told.length > 0)
    })

    test(`after the commit, it is logged, and ${name} stands`, async () => {
      const change = await prepare()
      forget()
      app.log.length = 0
      broken.afterCommit = () => {
        throw new Error('the sink is gone')
      }
      const answer = await change()
      delete broken.afterCommit
      assert.ok(answer.status < 300, answer.text)
      assert.ok(told.length > 0, 'the other sinks are told')
      const names = told.map(({ type }) => type.name)
      assert.deepEqual(
        app.log.map(({ level, untold }) => [level, untold]),
        names.map((untold) => ['error', untold]),
      )
    })
  }

  test('after the commit, by a promise, it is logged, and the process goes on', async () => {
    const { deps, log } = await testApp({}, { sinks: { inside: [], afterCommit: [failLater] } })
    deps.events.emit(noted, { note: 'one' })
    // A rejection that is left alone ends the test.
    await until(() => log.some(({ level, untold }) => level === 'error' && untold === 'noted'))

    async function failLater() {
      await setImmediate()
      throw new Error('the sink is gone')
    }
  })

  test('inside the transaction, a conflict begins the change anew: it is told once', async () => {
    forget()
    let conflicts = 2
    broken.inside = () => {
      if (conflicts-- > 0) throw new TransactionConflict({ cause: null })
    }
    const { status, body } = await app.call('POST', '/users', { headers: admin, json })
    delete broken.inside
    assert.equal(status, 201)
    assert.deepEqual(
      told.map(({ type, payload }) => [type.name, payload]),
      [['user_created', { user_id: body.id }]],
    )
    assert.equal(inside.length, 3)
  })

  test('a change that is refused in its transaction is not told', async () => {
    const id = await user()
    forget()
    const headers = { ...admin, 'if-match': '"other"' }
    const answer = await app.call('PUT', `/users/${id}`, { headers, json: { name: 'Dora' } })
    assertRefusal(answer, 412, 'Precondition failed')
    assert.deepEqual([inside, told], [[], []])
  })

  test('what is answered again is not told again', async () => {
    const headers = { ...admin, 'idempotency-key': 'twice' }
    forget()
    await app.call('POST', '/users', { headers, json })
    assert.equal((await app.call('POST', '/users', { headers, json })).status, 201)
    assert.equal(told.length, 1)
  })

  test('inside the transaction, it undoes a restore', async () => {
    const file = await backupOf(app)
    const target = await place()
    const failing = {
      emitInTransaction: () => Promise.reject(new Error('the sink is full')),
      emit() {},
      attach() {},
    }
    const options = {
      passphrase: async () => passphrase,
      withoutKeys: false,
      unverified: false,
      keepLogins: false,
    }
    const deps = { ...target.deps, events: failing as unknown as typeof app.deps.events }
    await assert.rejects(restore(deps, file, options), /the sink is full/)
    assert.deepEqual(await target.tables(), [])
    await restore(target.deps, file, options)
  })

  test('a command that fails leaves no event', async () => {
    const ran = await gatehouse(app.directory, 'keys retire nothing --verbose', {
      clock: app.clock,
    })
    assert.deepEqual([ran.code, ran.stderr.includes('"event"')], [3, false])
  })
})
