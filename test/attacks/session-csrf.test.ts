import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type Call, type SessionHeaders, testApp } from '../app.ts'
import { eventsNamed } from '../logins.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const refusedToken = 'CSRF token invalid'

suite('the CSRF token of a session', async () => {
  const app = await testApp()
  const ann = await app.account('ann', ['USER', 'ADMIN'])
  const mine = await app.session(ann)
  const other = await app.session(ann)
  const token = mine['x-csrf-token']
  const transfer = (headers: NonNullable<Call['headers']>, call: Call = {}) =>
    app.call('POST', '/api/transfer', { ...call, headers: { ...headers, ...call.headers } })

  /** A refused request leaves nothing behind. */
  async function assertNothingDone(ask: () => Promise<Answer>, status: number, error: string) {
    const [rows, done] = [await app.rows(), eventsNamed(app, 'sensitive_update')]
    assertRefusal(await ask(), status, error)
    assert.deepEqual(await app.rows(), rows)
    assert.equal(eventsNamed(app, 'sensitive_update'), done)
  }

  const bad: Record<string, string | string[]> = {
    'an empty text': '',
    'a space': ' ',
    undefined: 'undefined',
    null: 'null',
    'two headers': [token, token],
    'two headers, one of them wrong': [token, 'x'],
    'the token of another session': other['x-csrf-token'],
    'a prefix': token.slice(0, -1),
    'more than it': `${token}A`,
    'another case': token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(),
    'quotes around it': `"${token}"`,
    'the cookie': mine.cookie.slice('JSESSIONID='.length),
    '10 kB': 'A'.repeat(10_000),
    'another alphabet': '\u00ff'.repeat(43),
  }

  for (const [about, sent] of Object.entries(bad)) {
    test(`T50: ${about} is 403`, async () => {
      const headers = { cookie: mine.cookie, 'x-csrf-token': sent }
      await assertNothingDone(() => transfer(headers), 403, refusedToken)
    })
  }

  test('T50: no header is 403, and the right one is 200', async () => {
    await assertNothingDone(() => transfer({ cookie: mine.cookie }), 403, refusedToken)
    const done = eventsNamed(app, 'sensitive_update')
    assert.equal((await transfer(mine)).status, 200)
    assert.equal(eventsNamed(app, 'sensitive_update'), done + 1)
  })

  test('T51: a session without a token takes no empty one', async () => {
    const bare = await app.session(ann)
    await app.deps.db
      .updateTable('sessions')
      .set({ csrf_token: '' })
      .where('csrf_token', '=', bare['x-csrf-token'])
      .execute()
    for (const sent of [undefined, '', 'undefined', bare['x-csrf-token']]) {
      const headers = { cookie: bare.cookie, ...(sent !== undefined && { 'x-csrf-token': sent }) }
      await assertNothingDone(() => transfer(headers), 403, refusedToken)
    }
  })

  const elsewhere: Record<string, () => Promise<Answer>> = {
    'the query': () =>
      app.call('POST', `/api/transfer?x-csrf-token=${token}&csrf_token=${token}`, {
        headers: { cookie: mine.cookie },
      }),
    'the body': () =>
      transfer({ cookie: mine.cookie }, { json: { csrf_token: token, 'X-CSRF-Token': token } }),
    'a form': () => transfer({ cookie: mine.cookie }, { form: { csrf_token: token } }),
    'a cookie': () =>
      transfer({ cookie: `${mine.cookie}; X-CSRF-Token=${token}; csrf_token=${token}` }),
    'another header': () =>
      transfer({ cookie: mine.cookie, 'x-xsrf-token': token, 'csrf-token': token }),
  }

  for (const [place, ask] of Object.entries(elsewhere)) {
    test(`T52: the token in ${place} alone is 403`, async () => {
      await assertNothingDone(ask, 403, refusedToken)
    })
  }

  const formTypes = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/csp-report',
    'text/plain; charset=application/json',
    'application/json5',
  ]

  for (const type of formTypes) {
    test(`T53: JSON sent as ${type} is 403 without the token and 400 with it`, async () => {
      const body = JSON.stringify({ to: 'mallory' })
      const call = { body, headers: { 'content-type': type } }
      await assertNothingDone(() => transfer({ cookie: mine.cookie }, call), 403, refusedToken)
      await assertNothingDone(() => transfer(mine, call), 400, 'Invalid request body')
    })
  }

  const unsafe: readonly (readonly [method: string, path: string, json?: object])[] = [
    ['POST', '/users', { name: 'Eve', email: 'eve@example.org' }],
    ['PUT', '/users/1', { name: 'Eve' }],
    ['DELETE', '/users/1'],
    ['POST', '/api/v1/users', { name: 'Eve', email: 'eve@example.org' }],
    ['DELETE', '/api/v2/users/1'],
    ['POST', '/api/admin/accounts', {}],
    ['PUT', '/api/admin/accounts/admin', { locked: true }],
    ['DELETE', '/api/admin/accounts/admin'],
  ]

  for (const [method, path, json] of unsafe) {
    test(`5.2: ${method} ${path} by a session needs the token`, async () => {
      for (const headers of [{ cookie: mine.cookie }, { ...mine, 'x-csrf-token': 'A' }]) {
        const ask = () => app.call(method, path, { headers, json })
        await assertNothingDone(ask, 403, refusedToken)
      }
    })
  }

  const noBody = ({ status, text, headers }: Answer) => {
    assert.deepEqual([status, text, headers['content-length']], [401, '', '0'])
    assert.equal(headers['content-type'], undefined)
  }

  test('T55: without a session a transfer is 401 without a body, with any token', async () => {
    const unknown = `JSESSIONID=${'A'.repeat(43)}`
    for (const headers of [{}, { 'x-csrf-token': token }, { ...mine, cookie: unknown }]) {
      const answer = await transfer(headers)
      noBody(answer)
      assertHeaders(answer)
    }
    const bearer = await app.bearer(ann)
    noBody(await transfer(bearer))
    noBody(await transfer(app.basic(ann)))
    noBody(await transfer({ 'content-type': 'application/json' }, { body: '{' }))
  })

  test('T55: other credentials beside the session are ignored by a transfer', async () => {
    const headers = { ...mine, authorization: 'Basic AAAA' }
    assert.equal((await transfer(headers)).status, 200)
    assertRefusal(
      await transfer({ cookie: mine.cookie, ...(await app.bearer(ann)) }),
      403,
      refusedToken,
    )
  })

  test('T56: an expired session with its right token is 401', async () => {
    const old: SessionHeaders = await app.session(ann)
    app.clock.advance(1799)
    assert.equal((await transfer(old)).status, 200)
    app.clock.advance(1800)
    noBody(await transfer(old))
    const created = { headers: old, json: { name: 'Eve', email: 'eve@example.org' } }
    await assertNothingDone(
      () => app.call('POST', '/users', created),
      401,
      'Authentication required',
    )
  })
})
