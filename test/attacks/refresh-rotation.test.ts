// A database makes a difference: a refresh token is used once by many requests at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeJwt } from 'jose'
import { rotationStore } from '../../src/modules/tokens/rotation-store.ts'
import { testApp } from '../app.ts'
import { auditRecords } from '../audit-chains.ts'

const refused = { error: 'Invalid refresh token' }

suite('REFRESH_ROTATION=on', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on' })
  const strict = await testApp({ REFRESH_ROTATION: 'on', REFRESH_GRACE_SECONDS: '0' })
  const use = (refresh_token: string, who = app) =>
    who.call('POST', '/refresh', { form: { refresh_token } })

  test('each use gives a new refresh token of seven days and five claims', async () => {
    const { refresh_token } = await app.pair(app.admin)
    app.clock.advance(60)
    const { status, body } = await use(refresh_token)
    assert.equal(status, 200)
    assert.notEqual(body.refresh_token, refresh_token)
    const { iat = 0, exp, ...claims } = decodeJwt(body.refresh_token)
    assert.equal(exp, iat + 604_800)
    assert.deepEqual(Object.keys(claims).sort(), ['iss', 'sub', 'type'])
    assert.equal((await use(body.refresh_token)).status, 200)
  })

  test('a refresh is recorded once', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const created = async () =>
      (await auditRecords(app)).filter(({ type }) => type === 'authn_token_created').length
    const before = await created()
    assert.equal((await use(refresh_token)).status, 200)
    assert.equal(await created(), before + 1)
  })

  test('a retry within the grace period gets the very same token', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const first = await use(refresh_token)
    app.clock.advance(9)
    const retry = await use(refresh_token)
    assert.equal(retry.status, 200)
    assert.equal(retry.body.refresh_token, first.body.refresh_token)
  })

  test('T60: a second use after it ends the whole line', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const first = await use(refresh_token)
    app.clock.advance(10)
    for (const token of [refresh_token, first.body.refresh_token, refresh_token]) {
      const answer = await use(token)
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, refused)
    }
    assert.ok(app.log.some(({ event }) => event === 'authn_token_reuse'))
    const record = (await auditRecords(app)).findLast(({ type }) => type === 'authn_token_reuse')
    assert.deepEqual([record?.plain.status, record?.reason], [401, 'refresh_token_reused'])
    const other = await app.pair(app.admin)
    assert.equal((await use(other.refresh_token)).status, 200, 'another login goes on')
  })

  test('`explain` tells a used token from its successor, and uses neither', async () => {
    const headers = await app.bearer(app.admin)
    const explained = async (token: string) => {
      const { body } = await app.call('POST', '/api/admin/explain', { headers, json: { token } })
      return [body.of, body.passes, body.code]
    }
    const { refresh_token } = await app.pair(app.admin)
    assert.deepEqual(await explained(refresh_token), ['refresh token', true, null])
    const { refresh_token: next } = (await use(refresh_token)).body
    app.clock.advance(10)
    assert.deepEqual(await explained(refresh_token), [
      'refresh token',
      false,
      'refresh_token_reused',
    ])
    assert.deepEqual(await explained(next), ['refresh token', true, null])
    assert.equal((await use(next)).status, 200, 'explaining a used token ends no line')
  })

  test('a line ends REFRESH_ABSOLUTE_SECONDS after its login, however often it is used', async () => {
    const day = 86_400
    const short = await testApp({ REFRESH_ROTATION: 'on', REFRESH_ABSOLUTE_SECONDS: '864000' })
    const end = Math.floor(short.clock.now() / 1000) + 10 * day
    let { refresh_token } = await short.pair(short.admin)
    for (const [days, expected] of [
      [2, end - day],
      [2, end],
      [5, end],
    ] as const) {
      short.clock.advance(days * day)
      const answer = await use(refresh_token, short)
      assert.equal(answer.status, 200)
      refresh_token = answer.body.refresh_token
      assert.equal(decodeJwt(refresh_token).exp, expected)
    }
    short.clock.advance(day)
    const before = await short.rows()
    const late = await use(refresh_token, short)
    assert.deepEqual([late.status, late.body], [401, refused])
    assert.deepEqual(await short.rows(), before)
    const { refresh_token: first } = await (
      await testApp({
        ...{ REFRESH_ROTATION: 'on', REFRESH_ABSOLUTE_SECONDS: '3600' },
      })
    ).pair(short.admin)
    const { exp = 0, iat } = decodeJwt(first)
    assert.equal(exp - (iat ?? 0), 3600, 'also the first token of a line')
  })

  test('with REFRESH_ABSOLUTE_SECONDS=0 a line in use never ends', async () => {
    const endless = await testApp({ REFRESH_ROTATION: 'on', REFRESH_ABSOLUTE_SECONDS: '0' })
    let { refresh_token } = await endless.pair(endless.admin)
    for (let weeks = 0; weeks < 60; weeks += 1) {
      endless.clock.advance(6 * 86_400)
      const answer = await use(refresh_token, endless)
      assert.equal(answer.status, 200)
      refresh_token = answer.body.refresh_token
    }
  })

  test('a line that is ended twice stays ended until its youngest token has expired', async () => {
    const own = await testApp({ REFRESH_ROTATION: 'on' })
    const youngest = Math.floor(own.clock.now() / 1000) + 604_800 + 60
    const long = await testApp(
      { REFRESH_ROTATION: 'on', REFRESH_TOKEN_SECONDS: '604860' },
      { directory: own.directory, clock: own.clock },
    )
    const { refresh_token } = await long.pair(long.admin)
    const next = await use(refresh_token, long)
    own.clock.advance(10)
    // Reused where tokens live a shorter time by now.
    assert.equal((await use(refresh_token, own)).status, 401)
    const ends = (await own.rows()).refresh_families_ended as { expires_at: number }[]
    assert.ok(Math.max(...ends.map(({ expires_at }) => expires_at)) >= youngest)
    await rotationStore(own.deps.db).end('twice', 20)
    await rotationStore(own.deps.db).end('twice', 30)
    await rotationStore(own.deps.db).end('twice', 10)
    const { refresh_families_ended: rows = [] } = await own.rows()
    assert.deepEqual(
      rows.filter((row) => (row as { family: string }).family === 'twice'),
      [{ family: 'twice', expires_at: 30 }],
    )
    assert.equal((await use(next.body.refresh_token, own)).status, 401)
  })

  test('T60: no retry once the successor was used, not even within the grace period', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const second = await use(refresh_token)
    const third = await use(second.body.refresh_token)
    assert.equal(third.status, 200)
    assert.equal((await use(refresh_token)).status, 401)
    assert.equal((await use(third.body.refresh_token)).status, 401, 'the line has ended')
  })

  test('T60: of 50 parallel uses without a grace period one succeeds', async () => {
    const { refresh_token } = await strict.pair(strict.admin)
    const answers = await Promise.all(Array.from({ length: 50 }, () => use(refresh_token, strict)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 401).length, 49)
  })

  test('of 50 parallel uses with one, all get the same token', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const answers = await Promise.all(Array.from({ length: 50 }, () => use(refresh_token)))
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
  })

  test('T60: a used token stays used after a restart, and an ended line ended', async () => {
    const { refresh_token } = await strict.pair(strict.admin)
    const first = await use(refresh_token, strict)
    const again = await testApp(
      { REFRESH_ROTATION: 'on', REFRESH_GRACE_SECONDS: '0' },
      { directory: strict.directory, clock: strict.clock },
    )
    assert.equal((await use(refresh_token, again)).status, 401)
    assert.equal((await use(first.body.refresh_token, again)).status, 401)
  })

  test('what no living token needs is removed', async () => {
    await use((await app.pair(app.admin)).refresh_token)
    app.clock.advance(604_801 + 86_400)
    for (const { name, run } of app.app.jobs) if (name === 'refresh tokens') await run()
    const { refresh_uses, refresh_families_ended } = await app.rows()
    assert.deepEqual([refresh_uses, refresh_families_ended], [[], []])
  })
})
