import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { pbkdf2Hash, storeHash } from '../hashes.ts'
import { doors, newHost, placesOf } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'

const unauthenticated = 'Authentication required'
const greeting = (app: TestApp, headers: Record<string, string>) =>
  app.call('GET', '/api/protected', { headers })
const job = (app: TestApp, wanted: string) =>
  app.app.jobs.find(({ name }) => name === wanted)?.run()

suite('a session ends by time', async () => {
  const app = await testApp()
  const ann = await app.account('ann')
  const { directory, clock } = app
  const other = await testApp({}, { directory, clock })

  test('7.3.1: 30 minutes without a request, to the millisecond', async () => {
    const mine = await app.session(ann)
    clock.advance(1799.999)
    assert.equal((await greeting(app, mine)).status, 200)
    clock.advance(1800)
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
    assertRefusal(await greeting(app, mine), 401, unauthenticated) // the refused try was no activity
  })

  test('T49: parallel requests with an expired cookie are all 401', async () => {
    const mine = await app.session(ann)
    clock.advance(1800)
    const answers = await Promise.all(Array.from({ length: 20 }, () => greeting(app, mine)))
    for (const answer of answers) assertRefusal(answer, 401, unauthenticated)
  })

  test('requests that anyone may make are no activity of the session', async () => {
    const mine = await app.session(ann)
    clock.advance(1000)
    await app.call('GET', '/health/live', { headers: mine })
    await app.call('GET', '/api/nothing', { headers: mine })
    clock.advance(800)
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
  })

  test('expires_at says when', async () => {
    const mine = await app.session(ann)
    clock.advance(60)
    const { body } = await app.call('GET', '/api/session', { headers: mine })
    assert.equal(Date.parse(body.expires_at), clock.now() + 1_800_000)
    assert.equal(body.csrf_token, mine['x-csrf-token'])
  })

  test('activity at one process counts at the other once it is written down', async () => {
    const mine = await app.session(ann)
    clock.advance(1700)
    assert.equal((await greeting(app, mine)).status, 200)
    await job(app, 'session activity')
    clock.advance(1700)
    assert.equal((await greeting(other, mine)).status, 200)
    await job(other, 'session activity')
    clock.advance(1799)
    assert.equal((await greeting(app, mine)).status, 200)
  })

  test('activity that is written late never moves a session back', async () => {
    const mine = await app.session(ann)
    clock.advance(100)
    await greeting(app, mine) // seen here at 100, not yet written
    clock.advance(100)
    await greeting(other, mine)
    await job(other, 'session activity')
    await job(app, 'session activity')
    clock.advance(1799)
    assert.equal((await greeting(other, mine)).status, 200)
  })

  test('activity that is not written yet is not lost by an orderly stop', async () => {
    const stopping = await testApp()
    const mine = await stopping.session(stopping.admin)
    stopping.clock.advance(1700)
    await greeting(stopping, mine)
    await stopping.app.server.close()
    stopping.clock.advance(1700)
    const again = await testApp({}, { directory: stopping.directory, clock: stopping.clock })
    assert.equal((await greeting(again, mine)).status, 200)
  })

  test('7.3.2: 12 hours after the login, however busy', async () => {
    const mine = await app.session(ann)
    for (let passed = 0; passed < 43_200 - 1200; passed += 1200) {
      clock.advance(1200)
      assert.equal((await greeting(app, mine)).status, 200)
    }
    clock.advance(1199.999)
    const { status, body } = await app.call('GET', '/api/session', { headers: mine })
    assert.equal(status, 200)
    assert.equal(Date.parse(body.expires_at), Math.ceil(clock.now() + 0.5))
    clock.advance(0.001)
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
  })

  test('7.3.2: an absolute limit of 0 is none', async () => {
    const endless = await testApp({ SESSION_ABSOLUTE_SECONDS: '0' }, { clock })
    const mine = await endless.session(endless.admin)
    for (let hours = 0; hours < 100; hours += 1) {
      clock.advance(1799)
      assert.equal((await greeting(endless, mine)).status, 200)
    }
    await job(endless, 'session activity')
    await job(endless, 'ended sessions')
    assert.equal((await greeting(endless, mine)).status, 200)
  })

  test('G14: ended sessions are removed, live ones are not', async () => {
    await app.session(ann)
    clock.advance(1000)
    const live = await app.session(ann)
    clock.advance(810) // 10 s more than the limit: an activity may not be written down yet
    await job(app, 'ended sessions')
    const { sessions } = await app.rows()
    assert.equal(sessions?.length, 1)
    assert.equal((await greeting(app, live)).status, 200)
  })
})

suite('a session ends with what it rests on', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
  const other = await testApp({}, { directory: app.directory, clock: app.clock })
  const headers = app.basic(app.admin)
  const change = (who: Someone, json: object) =>
    app.call('PUT', `/api/admin/accounts/${who.username}`, { headers, json })

  /** What an administrator does to an account. */
  const endings: Record<string, (who: Someone) => Promise<unknown>> = {
    locked: (who) => change(who, { locked: true }),
    disabled: (who) => change(who, { active: false }),
    'given another password': (who) => change(who, { password: 'another password of theirs' }),
    'deleted as an account': (who) =>
      app.call('DELETE', `/api/admin/accounts/${who.username}`, { headers }),
    'deleted as a user': (who) => app.call('DELETE', `/users/${who.userId}`, { headers }),
  }

  for (const [about, end] of Object.entries(endings)) {
    test(`T57, G8: session and Basic of an account that is ${about} are refused at the next request, at every process`, async () => {
      const who = await app.account(about.replaceAll(' ', '-'))
      const [mine, ...more] = [await app.session(who), await app.session(who)]
      const basic = app.basic(who)
      for (const node of [app, other]) {
        assert.equal((await greeting(node, mine)).status, 200)
        assert.equal((await node.call('GET', '/users', { headers: basic })).status, 200)
      }
      await end(who)
      for (const node of [other, app]) {
        for (const headers of [mine, ...more]) {
          assertRefusal(await greeting(node, headers), 401, unauthenticated)
        }
        const refused = await node.call('GET', '/users', { headers: basic })
        assertRefusal(refused, 401, unauthenticated)
        assertRefusal(await doors.JSON(node, who), 401, 'Invalid credentials')
      }
      assert.deepEqual((await app.rows()).sessions, [])
      // Undone, the old session does not come back.
      await change(who, { locked: false, active: true })
      assertRefusal(await greeting(app, mine), 401, unauthenticated)
    })
  }

  test('T57: other sessions go on, and new roles show in them at once', async () => {
    const [ann, ben] = [await app.account('ann'), await app.account('ben')]
    const [mine, theirs] = [await app.session(ann), await app.session(ben)]
    await change(ann, { locked: true })
    assert.equal((await greeting(app, theirs)).status, 200)
    assert.equal((await app.call('GET', '/api/admin/accounts', { headers: theirs })).status, 403)
    await change(ben, { roles: ['ADMIN'] })
    for (const node of [app, other]) {
      const list = await node.call('GET', '/api/admin/accounts', { headers: theirs })
      assert.equal(list.status, 200)
    }
    await change(ben, { roles: ['USER'] })
    const list = await other.call('GET', '/api/admin/accounts', { headers: theirs })
    assertRefusal(list, 403, 'Access denied')
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
  })

  test('the session that changes its own password goes on, the others end', async () => {
    const root = await app.account('root', ['ADMIN'])
    const [mine, elsewhere] = [await app.session(root), await app.session(root)]
    const json = { current_password: root.password, new_password: 'a new one for today' }
    const answer = await app.call('PUT', '/api/account/password', { headers: mine, json })
    assert.equal(answer.status, 200)
    assert.equal((await greeting(app, mine)).status, 200)
    assertRefusal(await greeting(app, elsewhere), 401, unauthenticated)
  })

  // The verification takes so long that the administrator's change happens during it.
  const slowPassword = 'takes its time to verify'
  const slowHash = pbkdf2Hash(slowPassword, { rounds: 400_000 })

  for (const [about, end] of Object.entries(endings)) {
    test(`G8: a login that was under way when its account was ${about} leaves no session`, async () => {
      const from = newHost()
      const who = await app.account(`overtaken-${about.replaceAll(' ', '-')}`)
      await storeHash(app, who.userId, slowHash)
      const login = doors['form, session'](app, { ...who, password: slowPassword }, { from })
      await until(async () => (await placesOf(app, from)).length === 1)
      await end(who)
      const answer = await login
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.deepEqual(answer.cookies, {})
      const { sessions = [] } = await app.rows()
      assert.equal(
        sessions.some((row) => (row as { user_id: number }).user_id === who.userId),
        false,
      )
    })
  }
})

suite('SESSIONS_PER_ACCOUNT', async () => {
  const settings = { SESSIONS_PER_ACCOUNT: '3' }
  const app = await testApp(settings)
  const { directory, clock } = app
  const other = await testApp(settings, { directory, clock })
  const statuses = async (sessions: readonly Record<string, string>[]) =>
    Promise.all(sessions.map(async (session) => (await greeting(other, session)).status))
  const ends = () => app.log.filter(({ event }) => event === 'session_ended')
  /** Logged in one second after the other. */
  const sessionsOf = async (who: Someone, count: number) => {
    const made: Record<string, string>[] = []
    for (let index = 0; index < count; index += 1) {
      clock.advance(1)
      made.push(await app.session(who))
    }
    return made
  }

  test('is 100 where nothing is set, and 0 sets no limit', async () => {
    const unset = await testApp()
    assert.equal(unset.deps.config.session.maxPerAccount, 100)
    await unset.close()
    const unlimited = await testApp({ SESSIONS_PER_ACCOUNT: '0' }, { directory, clock })
    const who = await app.account('without')
    const made: Record<string, string>[] = []
    for (let index = 0; index < 5; index += 1) made.push(await unlimited.session(who))
    assert.deepEqual(await statuses(made), [200, 200, 200, 200, 200])
    await unlimited.close()
  })

  test('one more ends the session that was idle longest, for this account alone, with an event', async () => {
    const who = await app.account('many')
    const bystander = await app.session(await app.account('bystander'))
    const [first = {}, second = {}, third = {}] = await sessionsOf(who, 3)
    clock.advance(60)
    assert.equal((await greeting(app, first)).status, 200, 'noted in memory alone')
    const before = ends().length
    const [fourth = {}] = await sessionsOf(who, 1)
    assert.deepEqual(await statuses([first, second, third, fourth]), [200, 401, 200, 200])
    assert.deepEqual(
      ends()
        .slice(before)
        .map(({ user_id, reason, count }) => ({ user_id, reason, count })),
      [{ user_id: who.userId, reason: 'limit', count: 1 }],
    )
    assert.equal((await greeting(app, bystander)).status, 200)
  })

  test('activity at another process counts once it is written down', async () => {
    const who = await app.account('elsewhere')
    const [first = {}, second = {}, third = {}] = await sessionsOf(who, 3)
    clock.advance(60)
    assert.equal((await greeting(other, first)).status, 200)
    await job(other, 'session activity')
    const [fourth = {}] = await sessionsOf(who, 1)
    assert.deepEqual(await statuses([first, second, third, fourth]), [200, 401, 200, 200])
  })

  test('what has ended by itself, or is replaced by the login, takes no room', async () => {
    const who = await app.account('room')
    await sessionsOf(who, 2)
    clock.advance(1800) // they have ended, and their rows are still there
    const [first = {}, second = {}, third = {}] = await sessionsOf(who, 3)
    const login = await app.call('POST', '/login', {
      headers: { cookie: String(third.cookie) },
      form: { username: who.username, password: who.password, mode: 'session' },
    })
    const fourth = { cookie: `JSESSIONID=${login.cookies.JSESSIONID}` }
    assert.deepEqual(await statuses([first, second, third, fourth]), [200, 200, 401, 200])
  })

  test('of many logins at once, at two processes, no more than the limit stay', async () => {
    const who = await app.account('rush')
    const logins = Array.from({ length: 12 }, (_, index) => (index % 2 ? app : other).session(who))
    const made = await Promise.all(logins)
    const live = (await statuses(made)).filter((status) => status === 200)
    assert.equal(live.length, 3)
  })

  test('a limit that is younger than the sessions ends them all the same', async () => {
    const who = await app.account('upgraded')
    const now = clock.now()
    const rows = Array.from({ length: 1200 }, (_, index) => ({
      id: `older ${index}`,
      user_id: who.userId,
      csrf_token: 'x',
      created_at: now - 1000,
      last_seen_at: now - 1000 + index / 2,
      address: '',
      user_agent: '',
    })).map((row) => ({ ...row, last_seen_at: Math.floor(row.last_seen_at) }))
    for (let from = 0; from < rows.length; from += 400) {
      await app.deps.db
        .insertInto('sessions')
        .values(rows.slice(from, from + 400))
        .execute()
    }
    const made = await sessionsOf(who, 4)
    const left = await app.deps.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', who.userId)
      .execute()
    assert.equal(left.length, 3)
    assert.deepEqual(await statuses(made), [401, 200, 200, 200])
  })
})
