import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, testApp } from '../app.ts'
import { presentClock, solve } from '../captcha.ts'
import { refuseChanges } from '../database.ts'
import { countHashes } from '../hashes.ts'
import { assertBlocked, eventsNamed, newHost, placesOf, tally } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

const path = '/api/account/password'
const newPassword = 'a quieter melon rolls'

suite('the current password is no way to guess on', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
  let made = 0
  const newAccount = () => app.account(`person${made++}`)
  const change = (
    headers: Record<string, string>,
    current_password: string,
    { from = newHost(), ...more }: { from?: string; new_password?: string } = {},
  ) =>
    app.call('PUT', path, {
      headers,
      json: { current_password, new_password: newPassword, ...more },
      from,
    })

  test('6.2.3: of 20 parallel wrong ones five are verified, the rest are 429', async () => {
    const [who, from] = [await newAccount(), newHost()]
    const headers = await app.session(who)
    const { hashes, result } = await countHashes(() =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => change(headers, `wrong ${index}`, { from })),
      ),
    )
    assert.deepEqual(tally(result), { 401: 5, 429: 15 })
    assert.equal(hashes, 5)
    assert.equal((await placesOf(app, from)).length, 5)
    for (const answer of result) {
      if (answer.status === 401) assertRefusal(answer, 401, 'Invalid credentials')
      else assertBlocked(answer, '900')
    }
    assertBlocked(await change(headers, who.password, { from }), '900')
    const { username, password } = who
    const login = await app.call('POST', '/login', { json: { username, password }, from })
    assertBlocked(login, '900')
  })

  test('6.2.3: failed logins count here, and a right one forgets them', async () => {
    const [who, from] = [await newAccount(), newHost()]
    const headers = await app.session(who)
    const { username } = who
    for (let tries = 0; tries < 4; tries += 1) {
      const json = { username, password: 'not the password' }
      assert.equal((await app.call('POST', '/login', { json, from })).status, 401)
    }
    assert.equal((await change(headers, who.password, { from })).status, 200)
    assert.deepEqual(await placesOf(app, from), [])
  })

  test('a right one that is refused for the new one counts neither way', async () => {
    const [who, from] = [await newAccount(), newHost()]
    const headers = await app.session(who)
    await change(headers, 'not the password', { from })
    const places = await placesOf(app, from)
    assert.equal(places.length, 1)
    const answer = await change(headers, who.password, { from, new_password: 'short' })
    assert.equal(answer.status, 400)
    assert.deepEqual(await placesOf(app, from), places)
  })

  test('ten wrong ones in a row lock the account like failed logins; the session goes on', async () => {
    const who = await newAccount()
    const headers = await app.session(who)
    for (let tries = 0; tries < 10; tries += 1) {
      assertRefusal(await change(headers, 'not the password'), 401, 'Invalid credentials')
    }
    assertRefusal(await change(headers, who.password), 401, 'Invalid credentials', 'as a login')
    const { username, password } = who
    const login = await app.call('POST', '/login', { json: { username, password } })
    assertRefusal(login, 401, 'Invalid credentials')
    assert.equal((await app.call('GET', '/api/account', { headers })).status, 200)
    app.clock.advance(1800)
    const again = await app.session(who)
    assert.equal((await change(again, who.password)).status, 200)
  })

  test('with LOGIN_PROOF_OF_WORK_AFTER a proof of work is asked for here, too', async () => {
    const strict = await testApp({ LOGIN_PROOF_OF_WORK_AFTER: '1' }, { clock: presentClock() })
    const headers = await strict.session(strict.admin)
    const put = (current_password: string, more = {}) =>
      strict.call('PUT', path, {
        headers,
        json: { current_password, new_password: newPassword, ...more },
      })
    assertRefusal(await put('not the password'), 401, 'Invalid credentials')
    const asked = await put(strict.admin.password)
    assertRefusal(asked, 401, 'Captcha required', '', { captcha: asked.body.captcha })
    const captcha = await solve(asked.body.captcha)
    assert.equal((await put(strict.admin.password, { captcha })).status, 200)
  })

  test('two changes at once with the same current password: one wins, the other is 401', async () => {
    const who = await newAccount()
    const [mine, other] = [await app.session(who), await app.session(who)]
    const wanted = ['the first of two phrases', 'the second of two phrases']
    const answers = await Promise.all(
      [mine, other].map((headers, index) =>
        change(headers, who.password, { new_password: wanted[index] ?? '' }),
      ),
    )
    assert.deepEqual(tally(answers), { 200: 1, 401: 1 })
    const won = answers.findIndex(({ status }) => status === 200)
    for (const [index, password] of wanted.entries()) {
      const json = { username: who.username, password }
      const { status } = await app.call('POST', '/login', { json })
      assert.equal(status, index === won ? 200 : 401)
    }
  })

  test('where the end of the other logins cannot be stored, the password is not changed', async () => {
    const who = await newAccount()
    const headers = await app.session(who)
    const before = await app.rows('throttle_places')
    const allow = await refuseChanges(app, 'update on token_versions')
    const answer = await change(headers, who.password)
    await allow()
    assert.equal(answer.status, 500)
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  test('passwords are in no line of the log', async () => {
    const who = await newAccount()
    const failed = eventsNamed(app, 'authn_password_change_fail')
    const headers = await app.session(who)
    await change(headers, 'not the password, but a secret')
    await change(headers, who.password)
    assert.equal(eventsNamed(app, 'authn_password_change_fail'), failed + 1)
    const log = JSON.stringify(app.log)
    for (const secret of [who.password, newPassword, 'not the password, but a secret']) {
      assert.ok(!log.includes(secret))
    }
  })
})

suite("sessions of one's own", async () => {
  const app = await testApp()
  const other = await testApp({}, { directory: app.directory, clock: app.clock })
  const [ann, ben] = [await app.account('ann'), await app.account('ben')]
  const idOf = async (who: Someone) => {
    const { body } = await app.call('GET', '/api/account/sessions', { headers: app.basic(who) })
    return String(body[0].id)
  }

  test('the id of a session opens nothing, and stands nowhere in the database', async () => {
    const session = await app.session(ann)
    const id = await idOf(ann)
    assert.ok(!session.cookie.includes(id))
    assert.ok(!JSON.stringify(await app.rows()).includes(id))
    const headers = { cookie: `JSESSIONID=${id}` }
    assertRefusal(
      await app.call('GET', '/api/protected', { headers }),
      401,
      'Authentication required',
    )
  })

  test('the session of another account is not found, like one that never existed', async () => {
    const theirs = await app.session(ben)
    const id = await idOf(ben)
    const mine = await app.session(ann)
    const [{ id: stored = '' } = {}] = (await app.rows()).sessions as { id: string }[]
    const before = await app.rows()
    const bad = [id, stored, theirs.cookie.slice(11), 'nothing', '%00', '..%2f', 'x'.repeat(90)]
    for (const name of bad) {
      const answer = await app.call('DELETE', `/api/account/sessions/${name}`, { headers: mine })
      assertRefusal(answer, 404, 'Session not found', name)
    }
    // Not even for an administrator, whose way is another.
    const headers = app.basic(app.admin)
    const answer = await app.call('DELETE', `/api/account/sessions/${id}`, { headers })
    assertRefusal(answer, 404, 'Session not found')
    assert.deepEqual(await app.rows(), before)
    assert.equal((await app.call('GET', '/api/protected', { headers: theirs })).status, 200)
  })

  test('of very many sessions the newest thousand live ones are listed, and no more are read', async () => {
    const many = await app.account('many')
    const headers = await app.session(many)
    const now = app.clock.now()
    const row = (name: string, createdAt: number, last_seen_at: number) => ({
      id: name,
      user_id: many.userId,
      csrf_token: '',
      created_at: createdAt,
      last_seen_at,
      address: '',
      user_agent: '',
    })
    const ended = now - app.deps.config.session.idleSeconds * 1000
    const rows = Array.from({ length: 600 }, (_, at) => [
      row(`live ${at}`, now - 1 - at, now),
      row(`older ${at}`, now - 10_000 - at, now),
      row(`ended ${at}`, now, ended - 60_000),
    ])
    await app.deps.db.insertInto('sessions').values(rows.flat()).execute()
    const { body } = await app.call('GET', '/api/account/sessions', { headers })
    assert.equal(body.length, 1000)
    assert.equal(body[0].current, true)
    const times = body.map(({ created_at }: { created_at: string }) => Date.parse(created_at))
    assert.deepEqual(times.slice(0, 601), [now, ...rows.map((_, at) => now - 1 - at)])
    assert.equal(times.at(-1), now - 10_000 - 398)
  })

  test('7.5.2: an ended session is refused at the next request, at every process', async () => {
    const [mine, lost] = [await app.session(ann), await app.session(ann)]
    const list = await app.call('GET', '/api/account/sessions', { headers: lost })
    const { id } = list.body.find(({ current }: { current: boolean }) => current)
    for (const node of [app, other]) {
      assert.equal((await node.call('GET', '/api/protected', { headers: lost })).status, 200)
    }
    const end = await other.call('DELETE', `/api/account/sessions/${id}`, { headers: mine })
    assert.equal(end.status, 200)
    for (const node of [app, other]) {
      const answer = await node.call('GET', '/api/protected', { headers: lost })
      assertRefusal(answer, 401, 'Authentication required')
      assert.equal((await node.call('GET', '/api/protected', { headers: mine })).status, 200)
    }
  })

  test('T50: without its CSRF token a session changes nothing of its account', async () => {
    const { cookie } = await app.session(ann)
    const id = await idOf(ann)
    const before = await app.rows()
    const json = { current_password: ann.password, new_password: newPassword }
    for (const base of ['/api/account', '/api/user/account']) {
      for (const [method, rest, body] of [
        ['PUT', '/password', json],
        ['DELETE', '/sessions', undefined],
        ['DELETE', `/sessions/${id}`, undefined],
        ['POST', '/recovery-codes', { totp: '000000' }],
      ] as const) {
        for (const headers of [{ cookie }, { cookie, 'x-csrf-token': 'another' }]) {
          const call = { headers, ...(body && { json: body }) }
          const answer = await app.call(method, base + rest, call)
          assertRefusal(answer, 403, 'CSRF token invalid', `${method} ${base}${rest}`)
        }
      }
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('T57: after logging out everywhere, session, bearer and refresh are refused at every process', async () => {
    const [mine, lost, pair] = [await app.session(ann), await app.session(ann), await app.pair(ann)]
    const bearer = { authorization: `Bearer ${pair.access_token}` }
    for (const node of [app, other]) {
      for (const headers of [mine, lost, bearer]) {
        assert.equal((await node.call('GET', '/api/account', { headers })).status, 200)
      }
    }
    assert.equal((await app.call('DELETE', '/api/account/sessions', { headers: mine })).status, 200)
    for (const node of [app, other]) {
      for (const headers of [lost, bearer]) {
        assert.equal((await node.call('GET', '/api/account', { headers })).status, 401)
      }
      const form = { refresh_token: pair.refresh_token }
      const refreshed = await node.call('POST', '/refresh', { form })
      assertRefusal(refreshed, 401, 'Invalid refresh token')
      assert.equal((await node.call('GET', '/api/account', { headers: mine })).status, 200)
    }
    // Those of other accounts stay.
    const theirs = await app.session(ben)
    assert.equal((await app.call('GET', '/api/account', { headers: theirs })).status, 200)
  })

  test('logging out everywhere by bearer ends every session and the token itself', async () => {
    const [session, headers] = [await app.session(ann), await app.bearer(ann)]
    assert.equal((await app.call('DELETE', '/api/account/sessions', { headers })).status, 200)
    for (const proof of [session, headers]) {
      assert.equal((await app.call('GET', '/api/account', { headers: proof })).status, 401)
    }
  })

  test('T59: an end that cannot be stored is no 200, and the session goes on', async () => {
    const mine = await app.session(ann)
    const id = await idOf(ann)
    const allow = await refuseChanges(app, 'delete on sessions')
    const answers = [
      await app.call('DELETE', `/api/account/sessions/${id}`, { headers: mine }),
      await app.call('DELETE', '/api/account/sessions', { headers: app.basic(ann) }),
    ]
    await allow()
    for (const { status } of answers) assert.equal(status, 500)
    assert.equal((await app.call('GET', '/api/account', { headers: mine })).status, 200)
  })
})
