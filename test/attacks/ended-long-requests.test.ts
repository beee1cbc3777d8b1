// A database makes a difference: a long request waits in a transaction while its caller ends.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, suite, test } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { lockName, transact } from '../../src/core/database/transactions.ts'
import { access } from '../../src/core/http/routes/access.ts'
import { createServer } from '../../src/core/http/server/server.ts'
import type { Principal } from '../../src/core/policy/principal.ts'
import { authenticated } from '../../src/core/policy/rules.ts'
import { endSessionsOf } from '../../src/modules/sessions/sessions.ts'
import { revocationStore } from '../../src/modules/tokens/revocation-store.ts'
import { type Headers, type Someone, type TestApp, testApp } from '../app.ts'
import { connectTo, testDatabase } from '../database.ts'
import { holdAtTransaction, holdableDatabase, holdBody } from '../held-requests.ts'
import { assertRefusal } from '../refusal.ts'
import { exportPath, importPath, line, ndjson } from '../transfer.ts'
import { until } from '../until.ts'
import { seedUsers } from '../users.ts'
import { watchedDatabase } from '../watched-database.ts'

const waitingLocks = sql<{ waiting: number }>`
  select count(*) as waiting from pg_locks where not granted`

const batchSize = 500
const json = { name: 'New', email: 'new@example.org' }
const newUser = (headers: Headers) => ({
  method: 'POST',
  path: '/users',
  headers,
  body: JSON.stringify(json),
})
const change = (app: TestApp, headers: Headers, username: string, wanted: object) =>
  app.call('PUT', `/api/admin/accounts/${username}`, { headers, json: wanted })

/** What ends a caller, as another process commits it. */
type Ending = (
  who: Someone,
  headers: Headers,
) => { lockNames: readonly string[]; work: (trx: DatabaseOrTransaction) => Promise<void> }

suite('an import whose body comes slowly', async () => {
  const app = await testApp()
  let made = 0
  const keeper = async () => {
    made += 1
    const who = await app.account(`keeper${made}`, ['ADMIN'])
    return { who, headers: await app.session(who) }
  }

  /** An import under way: its lines are read as they are pushed. */
  function begin(headers: Headers) {
    let isWaiting = false
    const body = new Readable({
      read() {
        isWaiting = true
      },
    })
    const answer = app.app.server
      .inject({
        method: 'POST',
        url: importPath,
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        payload: body,
      })
      .then(({ statusCode: status, headers: fields, body: text }) => ({
        status,
        headers: fields,
        body: text,
      }))
    return {
      answer,
      /** Resolves once the service waits for more. */
      async send(text: string): Promise<void> {
        await until(() => isWaiting)
        isWaiting = false
        body.push(text)
        await until(() => isWaiting)
      },
      push: (text: string | null) => void body.push(text),
    }
  }

  const stored = () => app.rows('imports', 'sessions', 'revocations')

  test('blank lines keep it open for 30 minutes: then 408, and nothing is stored', async () => {
    const { headers } = await keeper()
    const before = await stored()
    const { answer, send } = begin(headers)
    await send(ndjson([line('patient')]))
    const stepSeconds = 14 // sooner than the end of a silence
    for (let seconds = 0; seconds + stepSeconds < 1800; seconds += stepSeconds) {
      await send('\n')
      await until(() => app.clock.waits().length > 0)
      app.clock.advance(stepSeconds)
    }
    app.clock.advance(1800 % stepSeconds)
    const answered = await answer
    assertRefusal(answered, 408, 'Request timeout')
    assert.equal(answered.headers.connection, 'close')
    assert.deepEqual(await stored(), before)
  })

  test('a caller that ends is told so between its lines, before the body has ended', async () => {
    const { headers } = await keeper()
    const before = await stored()
    const { answer, send, push } = begin(headers)
    await send(ndjson([line('slow')]))
    assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
    for (let seconds = 0; seconds < 28; seconds += 14) {
      app.clock.advance(14)
      await send('\n')
    }
    app.clock.advance(14)
    push('\n')
    assertRefusal(await answer, 401, 'Authentication required')
    assert.deepEqual(await stored(), before)
  })

  test('and between two batches, however fast they come', async () => {
    const { who, headers } = await keeper()
    const batch = (from: number) =>
      ndjson(Array.from({ length: 500 }, (_, index) => line(`fast${from + index}`)))
    const { answer, send, push } = begin(headers)
    await send(batch(0))
    const recent = await app.bearer(app.admin)
    const took = await change(app, recent, who.username, { roles: ['USER'] })
    assert.equal(took.status, 200)
    const before = (await stored()).accounts?.length ?? 0
    push(batch(500))
    assertRefusal(await answer, 403, 'Access denied')
    assert.equal((await stored()).accounts?.length, before - 500)
  })
})

suite('a long answer to a caller that ends meanwhile', async () => {
  let armed: { table: string; batches: number; end: () => Promise<unknown> } | undefined
  const app: TestApp = await testApp(
    {},
    await watchedDatabase(async ({ table, rows }) => {
      if (!armed || table !== armed.table || rows < batchSize) return
      armed.batches -= 1
      if (armed.batches > 0) return
      const { end } = armed
      armed = undefined
      await end()
    }),
  )
  const admin = await app.bearer(app.admin)
  await seedUsers(app, 1200)
  await app.deps.db
    .insertInto('accounts')
    .columns(['user_id', 'username', 'locked', 'active', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select((row) => [
          'id',
          row.cast<string>('id', 'text').as('username'),
          row.lit(0).as('locked'),
          row.lit(1).as('active'),
          row.lit(0).as('created_at'),
        ])
        .where('id', '>', 1),
    )
    .execute()
  const { url } = await app.listen()

  for (const [path, table, count] of [
    [exportPath, 'accounts', (text: string) => text.split('"username"').length - 1],
    ['/users', 'users', (text: string) => text.split('"email"').length - 1],
  ] as const) {
    test(`GET ${path} breaks off behind the batch that was judged`, async () => {
      const who = await app.account(`reader-of-${table}`, ['ADMIN'])
      const headers = await app.session(who)
      const end = () => change(app, admin, who.username, { active: false })
      armed = { table, batches: 2, end } // the first is read before anything is answered
      const answer = await fetch(url + path, { headers })
      assert.equal(answer.status, 200)
      let text = ''
      const decoder = new TextDecoder()
      await assert.rejects(async () => {
        for await (const piece of answer.body ?? []) text += decoder.decode(piece)
      })
      assert.equal(armed, undefined)
      assert.equal(count(text), batchSize)
      assert.ok(!text.endsWith(']'), 'never closed as if it were whole')
    })
  }
})

suite('ends and changes at the same moment', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on' }, await holdableDatabase())
  const admin = await app.bearer(app.admin)
  const other = await connectTo({ directory: app.directory })
  after(() => other.db.destroy())

  const waiters: readonly (readonly [string, 'session' | 'bearer', Ending])[] = [
    [
      'a disabling',
      'session',
      ({ userId }) => ({
        lockNames: [lockName.account(userId)],
        work: async (trx) => {
          const accounts = trx.updateTable('accounts').set({ active: 0 })
          await accounts.where('user_id', '=', userId).execute()
        },
      }),
    ],
    [
      'a logout',
      'session',
      ({ userId }) => ({
        lockNames: [],
        work: (trx) => endSessionsOf(trx, { userId: userId, exceptId: undefined, now: 0 }),
      }),
    ],
    [
      'the end of a token',
      'bearer',
      (_, { authorization = '' }) => {
        const { jti } = decodeJwt(authorization.slice('Bearer '.length))
        return {
          lockNames: [lockName.revocations, lockName.token(String(jti))],
          work: (trx) => revocationStore(trx).append({ token: String(jti) }, 9_000_000_000_000),
        }
      },
    ],
  ]
  for (const [index, [what, scheme, ending]] of waiters.entries()) {
    test(`a change waits for ${what} that is being committed, and sees it`, async () => {
      const who = await app.account(`waiting${index}`, ['ADMIN'])
      const headers = await app[scheme](who)
      const before = await app.deps.db.selectFrom('users').select('id').execute()
      const request = holdAtTransaction(app, newUser(headers), 1)
      await request.held
      const written = Promise.withResolvers<void>()
      const commit = Promise.withResolvers<void>()
      const { lockNames, work } = ending(who, headers)
      const ended = transact(other.db, lockNames, async (trx) => {
        await work(trx)
        written.resolve()
        await commit.promise
      })
      await written.promise
      request.goOn()
      if (testDatabase === 'postgres') await until(isWaitingForLock)
      commit.resolve()
      await ended
      const error = scheme === 'session' ? 'Authentication required' : 'Invalid or expired token'
      assertRefusal(await request.answer, 401, error)
      assert.deepEqual(await app.deps.db.selectFrom('users').select('id').execute(), before)
    })
  }

  test('two administrators who disable each other: one of them does', async () => {
    const two = [await app.account('one', ['ADMIN']), await app.account('two', ['ADMIN'])]
    const requests = await Promise.all(
      two.map(async (who, index) => {
        const path = `/api/admin/accounts/${two[1 - index]?.username}`
        const body = JSON.stringify({ active: false })
        const headers = await app.session(who)
        return holdAtTransaction(app, { method: 'PUT', path, headers, body }, 1)
      }),
    )
    await Promise.all(requests.map(({ held }) => held))
    for (const { goOn } of requests) goOn()
    const answers = await Promise.all(requests.map(({ answer }) => answer))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
    const refused = answers.find(({ status }) => status === 401)
    assert.ok(refused)
    assertRefusal(refused, 401, 'Authentication required')
  })

  test('a key that is sent along remembers nothing of a caller that ended', async () => {
    const who = await app.account('repeating', ['ADMIN'])
    const headers = { ...(await app.session(who)), 'idempotency-key': 'once' }
    const request = holdAtTransaction(app, newUser(headers), 1)
    await request.held
    await change(app, admin, 'repeating', { locked: true })
    const before = await app.rows()
    request.goOn()
    assertRefusal(await request.answer, 401, 'Authentication required')
    assert.deepEqual(await app.rows(), before)
  })

  test('a refresh token that is used as its account ends gives no successor', async () => {
    const who = await app.account('refreshing')
    const { refresh_token } = await app.pair(who)
    const request = holdAtTransaction(
      app,
      { method: 'POST', path: '/refresh', headers: {}, body: JSON.stringify({ refresh_token }) },
      1,
    )
    await request.held
    await change(app, admin, 'refreshing', { active: false })
    const before = await app.rows()
    request.goOn()
    assertRefusal(await request.answer, 401, 'Invalid refresh token')
    assert.deepEqual(await app.rows(), before)
  })

  test('a session or a token whose time is over while the body comes is as one that was ended', async () => {
    const who = await app.account('late', ['ADMIN'])
    const requests = [
      holdBody(app, newUser(await app.session(who))),
      holdBody(app, newUser(await app.bearer(who))),
    ]
    await Promise.all(requests.map(({ held }) => held))
    const before = await app.rows()
    app.clock.advance(3600)
    for (const { goOn } of requests) goOn()
    const [bySession, byToken] = await Promise.all(requests.map(({ answer }) => answer))
    assert.ok(bySession && byToken)
    assertRefusal(bySession, 401, 'Authentication required')
    assertRefusal(byToken, 401, 'Invalid or expired token')
    assert.match(String(byToken.headers['www-authenticate']), /error="invalid_token"/)
    assert.deepEqual(await app.rows(), before)
  })

  test('what ends nothing refuses nothing: an automatic lock, and for Basic the end of all logins', async () => {
    const who = await app.account('guessed-at', ['ADMIN'])
    const bySession = holdAtTransaction(app, newUser(await app.session(who)), 1)
    const byPassword = holdAtTransaction(app, newUser(app.basic(who)), 1)
    await Promise.all([bySession.held, byPassword.held])
    await app.deps.db
      .updateTable('accounts')
      .set({ locked_until: app.clock.now() + 1_000_000 })
      .where('user_id', '=', who.userId)
      .execute()
    bySession.goOn()
    assert.equal((await bySession.answer).status, 201)
    const path = '/api/admin/accounts/guessed-at/sessions'
    const headers = app.basic(app.admin)
    assert.equal((await app.call('DELETE', path, { headers })).status, 200)
    byPassword.goOn()
    assert.equal((await byPassword.answer).status, 201)
  })

  async function isWaitingForLock(): Promise<boolean> {
    const { rows } = await waitingLocks.execute(app.deps.db)
    return (rows[0]?.waiting ?? 0) > 0
  }
})

suite('a route that forgets to judge its caller again', async () => {
  const app = await testApp()
  const server = await createServer(app.deps)
  const principal: Principal = {
    subject: '1',
    username: 'anyone',
    roles: new Set(),
    credential: { scheme: 'basic' },
    amr: [],
    authTime: 0,
  }
  await server.register(access, {
    ...app.deps,
    authenticators: [
      {
        scheme: 'basic',
        header: null,
        missing: 'authenticationRequired',
        describes: { type: 'http', scheme: 'basic' },
        authenticate: async () => ({
          principal,
          lockNames: () => [],
          revalidate: async () => principal,
        }),
      },
    ],
  })
  const config = { access: { rule: authenticated } }
  server.post('/forgets', { config }, async () => ({ message: 'done' }))
  server.post('/asks', { config }, async (request) => {
    await transact(app.deps.db, [], async () => {}, request.guard ?? undefined)
    return { message: 'done' }
  })

  test('its success is a 500; one that asked succeeds', async () => {
    const forgot = await server.inject({ method: 'POST', url: '/forgets' })
    assert.deepEqual([forgot.statusCode, forgot.json()], [500, { error: 'Internal server error' }])
    assert.equal((await server.inject({ method: 'POST', url: '/asks' })).statusCode, 200)
    await server.close()
  })
})
