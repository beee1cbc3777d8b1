import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { type Call, type Someone, type TestApp, testApp } from '../app.ts'
import { heard, refuseChanges } from '../database.ts'
import { assertRefusal } from '../refusal.ts'

const week = 604_800

/** A pair and what was refreshed from it: all of its tokens. */
interface Pair {
  access: string[]
  refresh: string[]
}

for (const rotation of ['off', 'on']) {
  suite(`the end of a pair, REFRESH_ROTATION=${rotation}`, async () => {
    const settings = { REFRESH_ROTATION: rotation, REFRESH_GRACE_SECONDS: '0' }
    const app = await testApp(settings)
    const other = await testApp(settings, { directory: app.directory, clock: app.clock })
    const ann = await app.account('ann')
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const refresh = (refresh_token: string, node = app) =>
      node.call('POST', '/refresh', { form: { refresh_token } })
    const logOut = (call: Call = {}) => app.call('POST', '/logout', call)

    /** A login that was refreshed twice. */
    const pairOf = async (who: Someone): Promise<Pair> => {
      const { access_token, refresh_token } = await app.pair(who)
      const pair: Pair = { access: [access_token], refresh: [refresh_token] }
      for (let round = 0; round < 2; round += 1) {
        app.clock.advance(1)
        const { body } = await refresh(pair.refresh.at(-1) ?? '')
        pair.access.push(body.access_token)
        if (rotation === 'on') pair.refresh.push(body.refresh_token)
      }
      return pair
    }
    const statuses = async ({ access }: Pair, node: TestApp) => {
      const me = (token: string) => node.call('GET', '/api/me', { headers: bearer(token) })
      return Promise.all(access.map(async (token) => (await me(token)).status))
    }
    const goesOn = async (pair: Pair) => {
      for (const node of [app, other]) assert.deepEqual(await statuses(pair, node), [200, 200, 200])
    }
    const hasEnded = async (pair: Pair) => {
      assert.deepEqual(await statuses(pair, app), [401, 401, 401], 'at the next request')
      await heard(other)
      assert.deepEqual(await statuses(pair, other), [401, 401, 401], 'at the other process')
      for (const node of [app, other]) {
        for (const token of pair.refresh) {
          assertRefusal(await refresh(token, node), 401, 'Invalid refresh token')
        }
      }
    }

    test('every access token of a pair has its sid, kept by /refresh, and no other token has it', async () => {
      const [one, two] = [await pairOf(ann), await pairOf(ann)]
      const sids = (pair: Pair) => new Set(pair.access.map((token) => decodeJwt(token).sid))
      assert.equal(sids(one).size, 1)
      assert.equal(new Set([...sids(one), ...sids(two)]).size, 2)
      const [sid] = sids(one)
      assert.match(String(sid), /^[A-Za-z0-9_-]{43}\.[0-9]+$/)
      assert.equal('sid' in decodeJwt(await app.token(ann)), false)
      for (const token of one.refresh) {
        assert.deepEqual(Object.keys(decodeJwt(token)).sort(), ['exp', 'iat', 'iss', 'sub', 'type'])
        const header = decodeProtectedHeader(token)
        assert.deepEqual(Object.keys(header).sort(), [
          'alg',
          'amr',
          'auth_time',
          'kid',
          'rid',
          'typ',
          'ver',
        ])
        assert.ok(!String(sid).includes(String(header.rid)), 'tells nothing of what names it')
      }
    })

    for (const which of [0, 2]) {
      test(`POST /logout with access token ${which} of a pair ends it all, and no other`, async () => {
        const [pair, another] = [await pairOf(ann), await pairOf(ann)]
        await goesOn(pair)
        const answer = await logOut({ headers: bearer(pair.access[which] ?? '') })
        assert.deepEqual([answer.status, answer.body], [200, { message: 'Logged out' }])
        await hasEnded(pair)
        await goesOn(another)
        const { length } = (await app.rows()).revocations ?? []
        await logOut({ headers: bearer(pair.access[1] ?? '') })
        assert.equal((await app.rows()).revocations?.length, length, 'once is enough')
      })
    }

    for (const kind of ['form', 'json'] as const) {
      test(`POST /logout with refresh_token by ${kind} ends its pair, whichever of it, and no other`, async () => {
        const another = await pairOf(ann)
        for (const which of [0, -1]) {
          const pair = await pairOf(ann)
          await goesOn(pair)
          const refresh_token = pair.refresh.at(which) ?? ''
          const answer = await logOut({ [kind]: { refresh_token } })
          assert.deepEqual([answer.status, answer.body], [200, { message: 'Logged out' }])
          await hasEnded(pair)
        }
        await goesOn(another)
      })
    }

    test('session, bearer and refresh token of three logins end in one request', async () => {
      const [one, two] = [await pairOf(ann), await pairOf(ann)]
      const session = await app.session(ann)
      const headers = { ...session, ...bearer(one.access[0] ?? '') }
      await logOut({ headers, json: { refresh_token: two.refresh[0] } })
      await hasEnded(one)
      await hasEnded(two)
      assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 401)
    })

    test('what is no refresh token of ours: 200, and nothing changes', async () => {
      const pair = await pairOf(ann)
      const forged = `${pair.refresh[0]?.slice(0, -8)}AAAAAAAA`
      const before = await app.rows()
      for (const refresh_token of [
        '',
        'x',
        forged,
        pair.access[0],
        null,
        5,
        [pair.refresh[0]],
        {},
      ]) {
        const answer = await logOut({ json: { refresh_token } })
        assert.deepEqual([answer.status, answer.body], [200, { message: 'Logged out' }])
      }
      const query = `/logout?refresh_token=${pair.refresh[0]}`
      assert.equal((await app.call('POST', query)).status, 200, 'never from the query')
      const basic = { headers: app.basic(ann), body: '' }
      assert.equal((await logOut(basic)).status, 200)
      assert.deepEqual(await app.rows(), before)
      await goesOn(pair)
    })

    test('an empty body of JSON, and what is no object, is none: the pair of the header ends', async () => {
      for (const body of ['', '[]', 'null', '1', '"x"', '{']) {
        const pair = await pairOf(ann)
        const headers = { ...bearer(pair.access[0] ?? ''), 'content-type': 'application/json' }
        const answer = await logOut({ headers, body })
        assert.deepEqual([answer.status, answer.body], [200, { message: 'Logged out' }], body)
        await hasEnded(pair)
      }
    })

    test('T59: an end that cannot be stored is no 200, and the pair goes on', async () => {
      const pair = await pairOf(ann)
      const allow = await refuseChanges(app, 'insert on revocations')
      const byAccess = await logOut({ headers: bearer(pair.access[0] ?? '') })
      const byRefresh = await logOut({ json: { refresh_token: pair.refresh[0] } })
      await allow()
      assert.deepEqual([byAccess.status, byRefresh.status], [500, 500])
      await goesOn(pair)
    })

    test('the end lasts as long as any token of the pair, over a restart and under shorter lifetimes', async () => {
      const lasting = { ...settings, REFRESH_TOKEN_SECONDS: String(4 * week) }
      const shared = { directory: app.directory, clock: app.clock }
      const earlier = await testApp(lasting, { ...shared })
      const { refresh_token } = await earlier.pair(ann)
      const days = 3 * 86_400
      app.clock.advance(days)
      const { body: given } = await refresh(refresh_token, earlier)
      await heard(app)
      await logOut({ headers: bearer(given.access_token) }) // knows the week of today alone
      app.clock.advance(4 * week - (rotation === 'on' ? 0 : days) - 10) // the last is about to expire
      for (const { name, run } of app.app.jobs) {
        if (name === 'revocations' || name === 'refresh tokens') await run()
      }
      const again = await testApp(settings, { ...shared })
      for (const token of [refresh_token, given.refresh_token ?? refresh_token]) {
        assertRefusal(await refresh(token, again), 401, 'Invalid refresh token')
      }
      await Promise.all([earlier.close(), again.close()])
    })
  })
}

suite('the end of a pair whose access tokens live for longer than the log tells of it', async () => {
  const settings = { ACCESS_TOKEN_SECONDS: String(30 * 86_400) }
  const app = await testApp(settings)

  test('is looked up, in every process, and costs the memory of one a day at most', async () => {
    const [ended, good] = [await app.pair(app.admin), await app.pair(app.admin)]
    const { refresh_token } = ended
    await app.call('POST', '/logout', { json: { refresh_token } })
    const [entry] = (await app.rows()).revocations as { expires_at: number }[]
    assert.equal(entry?.expires_at, app.clock.now() + 86_400_000)
    app.clock.advance(5 * 86_400)
    for (const { name, run } of app.app.jobs) {
      if (name === 'revocations' || name === 'refresh tokens') await run()
    }
    const { revocations, refresh_families_ended } = await app.rows()
    assert.deepEqual([revocations, refresh_families_ended?.length], [[], 1])
    const { directory, clock } = app
    const again = await testApp(settings, { directory, clock })
    for (const node of [app, again]) {
      const me = (token: string) =>
        node.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })
      assertRefusal(await me(ended.access_token), 401, 'Invalid token')
      assert.equal((await me(good.access_token)).status, 200)
      const late = await node.call('POST', '/refresh', { json: { refresh_token } })
      assertRefusal(late, 401, 'Invalid refresh token')
    }
    await again.close()
  })
})

suite('pairs of which a use was seen twice', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on', REFRESH_GRACE_SECONDS: '0' })

  test('reuse of a refresh token ends the access tokens of its line as well', async () => {
    const { access_token, refresh_token } = await app.pair(app.admin)
    const refresh = (token: string) =>
      app.call('POST', '/refresh', { json: { refresh_token: token } })
    const next = await refresh(refresh_token)
    assertRefusal(await refresh(refresh_token), 401, 'Invalid refresh token')
    for (const token of [access_token, next.body.access_token]) {
      const headers = { authorization: `Bearer ${token}` }
      assertRefusal(await app.call('GET', '/api/me', { headers }), 401, 'Invalid token')
    }
    assertRefusal(await refresh(next.body.refresh_token), 401, 'Invalid refresh token')
  })

  test('a line that an earlier version began goes on, and ends as a whole', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const first = (await app.call('POST', '/refresh', { json: { refresh_token } })).body
    const { rid } = decodeProtectedHeader(refresh_token)
    await app.deps.db // it named a line by the first token
      .updateTable('refresh_uses')
      .set({ family: String(rid) })
      .where('rid', '=', String(rid))
      .execute()
    const json = { refresh_token: first.refresh_token }
    const second = (await app.call('POST', '/refresh', { json })).body
    assert.equal(decodeJwt(second.access_token).sid, rid)
    const headers = { authorization: `Bearer ${second.access_token}` }
    await app.call('POST', '/logout', { headers })
    assertRefusal(await app.call('GET', '/api/me', { headers }), 401, 'Invalid token')
    const late = await app.call('POST', '/refresh', {
      json: { refresh_token: second.refresh_token },
    })
    assertRefusal(late, 401, 'Invalid refresh token')
  })

  test('a refresh token that an earlier version ended by itself stays so', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const { rid } = decodeProtectedHeader(refresh_token)
    const expires_at = app.clock.now() + week * 1000
    await app.deps.db
      .insertInto('revocations')
      .values({ token: `refresh ${rid}`, user_id: null, access_version: null, expires_at })
      .execute()
    const directory = app.directory
    const again = await testApp({ REFRESH_ROTATION: 'on' }, { directory, clock: app.clock })
    const answer = await again.call('POST', '/refresh', { json: { refresh_token } })
    assertRefusal(answer, 401, 'Invalid refresh token')
    await again.close()
  })
})
