import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { testApp } from '../app.ts'
import {
  accessClaims,
  assertRefused,
  forge,
  headerOf,
  hs256,
  type Json,
  payloadOf,
  refreshSigner,
  secondsOf,
} from '../forge.ts'

const secret = 'only the tests of tokens know 0f this one'

suite('refresh tokens', async () => {
  const app = await testApp({ TOKEN_SECRET: secret })
  const signer = await refreshSigner(app)
  const sign = (payload: unknown, header: Json = {}) =>
    forge({ alg: 'HS256', typ: 'JWT', ...header }, payload, signer)
  const ann = await app.account('ann', ['USER', 'ADMIN'])
  const gone = await app.account('gone')
  await app.call('PUT', '/api/admin/accounts/gone', {
    headers: app.basic(app.admin),
    json: { active: false },
  })
  const pair = await app.pair(ann)
  const single = await app.token(ann)
  const payload = payloadOf(pair.refresh_token)
  const header = headerOf(pair.refresh_token)
  const forged = (changes: Json = {}, inHeader: Json = {}) =>
    sign({ ...payload, ...changes }, { ...header, ...inHeader })

  let before: Record<string, unknown[]>
  beforeEach(async () => {
    before = await app.rows()
  })
  afterEach(async () => assert.deepEqual(await app.rows(), before))

  async function assertNoRefresh(token: unknown, what: string) {
    const asForm = typeof token === 'string' ? [{ form: { refresh_token: token } }] : []
    for (const call of [{ json: { refresh_token: token } }, ...asForm]) {
      const answer = await app.call('POST', '/refresh', call)
      assert.deepEqual(
        [answer.status, answer.body, answer.cookies],
        [401, { error: 'Invalid refresh token' }, {}],
        what,
      )
    }
  }

  test('a forged refresh token with the right key is accepted', async () => {
    const answer = await app.call('POST', '/refresh', { json: { refresh_token: forged() } })
    assert.deepEqual([answer.status, answer.body.expires_in], [200, 900])
    assert.deepEqual(Object.keys(payload).toSorted(), ['exp', 'iat', 'iss', 'sub', 'type'])
  })

  test('T12: a refresh token is refused outside /refresh, at every route', async () => {
    const headers = { authorization: `Bearer ${pair.refresh_token}` }
    const asked = app.app.routes().filter(({ schemes }) => schemes !== '-')
    assert.ok(asked.length > 20)
    const bySchemes: Record<string, string> = {
      bearer: 'Invalid token',
      session: 'Authentication required',
      client: 'invalid_client',
    }
    for (const { method, url, schemes } of asked) {
      const path = url.replace(/:[a-z]+/g, '1').replace('*', 'anything')
      const verb = method === '*' ? 'GET' : method
      const answer = await app.call(verb, path, { headers, ...(verb !== 'GET' && { json: {} }) })
      const error = bySchemes[schemes] ?? 'Invalid or expired token'
      const body = url === '/api/transfer' ? '' : { error }
      assert.deepEqual([answer.status, answer.body], [401, body], `${verb} ${path}`)
    }
    await assertRefused(app, pair.refresh_token, 'refresh token')
  })

  test('T12: an access token is 401 at /refresh', async () => {
    await assertNoRefresh(pair.access_token, 'of the pair')
    await assertNoRefresh(single, 'of token mode')
    await assertNoRefresh(sign(accessClaims(app, { type: 'id' }), header), 'an identity token')
    for (const type of [undefined, null, ['refresh'], 'Refresh', 'refresh ', 'access', true]) {
      await assertNoRefresh(forged({ type }), `type ${JSON.stringify(type)}`)
    }
  })

  test('T01-T06 and T09-T15 hold at /refresh as well', async () => {
    const now = secondsOf(app)
    const [h = '', p = '', s = ''] = pair.refresh_token.split('.')
    await assertNoRefresh(
      forge({ ...header, alg: 'none' }, payload, () => Buffer.alloc(0)),
      'none',
    )
    await assertNoRefresh(forge(header, payload, hs256('')), 'another key')
    await assertNoRefresh(`${h}.${p}=.${s}`, 'padding')
    await assertNoRefresh(`${h}.${p}.${s.slice(1)}`, 'signature cut')
    await assertNoRefresh(`${pair.refresh_token}.${s}`, 'four segments')
    await assertNoRefresh('x'.repeat(16_000), '16 kB')
    const inHeader: Json[] = [
      { crit: [] },
      { b64: true },
      { kid: '../../dev/null' },
      { rid: undefined },
      { rid: ['a'] },
      { ver: undefined },
      { ver: '1' },
      { ver: 0 },
      { ver: 2 },
      { auth_time: 'now' },
      { auth_time: null },
    ]
    for (const changes of inHeader)
      await assertNoRefresh(forged({}, changes), JSON.stringify(changes))
    const inPayload: Json[] = [
      { exp: now },
      { exp: undefined },
      { exp: String(now + 600) },
      { iat: undefined },
      { iat: now + 6 },
      { iss: 'http://127.0.0.1:3000/' },
      { iss: undefined },
      { sub: undefined },
      { sub: ann.userId },
      { sub: '999' },
      { sub: String(gone.userId) },
    ]
    for (const changes of inPayload) await assertNoRefresh(forged(changes), JSON.stringify(changes))
    await assertNoRefresh(sign('[]', header), 'a list')
    await assertNoRefresh(sign('not JSON', header), 'not JSON')
  })

  test('T70: a refresh_token that is absent, empty or no text is 401', async () => {
    for (const value of [undefined, null, '', ' ', 0, true, {}, [], [forged()], { a: forged() }]) {
      await assertNoRefresh(value, JSON.stringify(value))
    }
    const query = await app.call('POST', `/refresh?refresh_token=${forged()}`, { form: { a: 'b' } })
    const bearer = { authorization: `Bearer ${forged()}` }
    const inHeader = await app.call('POST', '/refresh', { headers: bearer, json: {} })
    for (const answer of [query, inHeader]) {
      assert.deepEqual([answer.status, answer.body], [401, { error: 'Invalid refresh token' }])
    }
  })
  test('of a form field that comes twice the last counts', async () => {
    const post = (body: string) =>
      app.call('POST', '/refresh', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
    const good = forged()
    const last = await post(`refresh_token=${good}&refresh_token=${pair.access_token}`)
    assert.deepEqual([last.status, last.body], [401, { error: 'Invalid refresh token' }])
    assert.equal((await post(`refresh_token=x&refresh_token=${good}`)).status, 200)
  })
})
