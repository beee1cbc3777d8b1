import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { gatehouse } from './gatehouse.ts'

suite('gatehouse token inspect', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on' })
  const ann = await app.account('ann')
  const env = { REFRESH_ROTATION: 'on' }
  const { clock } = app

  async function inspect(token: string) {
    const words = 'token inspect --token-stdin --json'
    const ran = await gatehouse(app.directory, words, { stdin: `${token}\n`, env, clock })
    const isRepeated = token !== '' && (ran.stdout + ran.stderr).includes(token)
    assert.ok(!isRepeated, 'it is not repeated')
    return { ...ran, ...(ran.stdout && JSON.parse(ran.stdout)) }
  }

  test('shows header, claims, readable times, and that it passes', async () => {
    const token = await app.token(ann)
    const { code, stderr, header, claims, times, passes, signature, expired, revoked } =
      await inspect(token)
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(header.alg, 'HS256')
    assert.equal(claims.username, 'ann')
    assert.deepEqual(times, {
      exp: '2026-01-15T13:00:00.000Z',
      nbf: '2026-01-15T12:00:00.000Z',
      iat: '2026-01-15T12:00:00.000Z',
      auth_time: '2026-01-15T12:00:00.000Z',
    })
    assert.deepEqual([passes, signature, expired, revoked], [true, true, false, false])
  })

  test('for people it is a table and a sentence', async () => {
    const stdin = await app.token(ann)
    const { code, stdout } = await gatehouse(app.directory, 'token inspect', { stdin, clock })
    assert.equal(code, 0)
    assert.match(stdout, /^claims +exp +\d+ +2026-01-15T13:00:00\.000Z$/m)
    assert.match(stdout, /^It passes here\.$/m)
  })

  test('a token of another signer, or a changed one, does not pass', async () => {
    const [head, , signature] = (await app.token(ann)).split('.')
    const claims = Buffer.from('{"sub":"1","roles":["ADMIN"]}').toString('base64url')
    const found = await inspect(`${head}.${claims}.${signature}`)
    assert.deepEqual([found.code, found.passes, found.signature], [4, false, false])
    assert.deepEqual([found.revoked, found.claims.roles], [null, ['ADMIN']])
    assert.match(found.stderr, /no key of this service signed it/)
  })

  test('a token of other settings is told by the setting', async () => {
    const stdin = await app.token(ann)
    for (const [env, reason] of [
      [{ TOKEN_ISSUER: 'https://a.example' }, /its iss is not https:\/\/a\.example/],
      [{ TOKEN_AUDIENCE: 'shop' }, /its aud is not shop/],
    ] as const) {
      const ran = await gatehouse(app.directory, 'token inspect', { stdin, clock, env })
      assert.equal(ran.code, 4)
      assert.match(ran.stderr, reason)
      assert.equal(ran.stderr.match(/does not pass/g)?.length, 1)
      assert.doesNotMatch(ran.stdout, /pass/)
    }
    const early = { now: () => clock.now() - 60_000, wait: clock.wait }
    const ran = await gatehouse(app.directory, 'token inspect', { stdin, clock: early })
    assert.equal(ran.code, 4)
    assert.match(ran.stderr, /its time has not come/)
  })

  test('what is no token exits 4, nothing on standard input 2', async () => {
    for (const text of ['hello', 'a.b.c', 'e30.e30']) {
      const { code, stdout } = await inspect(text)
      assert.deepEqual([code, stdout], [4, ''], text)
    }
    assert.equal((await inspect('')).code, 2)
  })

  test('a token that was logged out is revoked', async () => {
    const token = await app.token(ann)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
    const { code, revoked, signature } = await inspect(token)
    assert.deepEqual([code, revoked, signature], [4, true, true])
  })

  test('a refresh token passes until it is used, its account is locked, or it expires', async () => {
    const first = (await app.pair(ann)).refresh_token
    assert.deepEqual([(await inspect(first)).code, (await inspect(first)).passes], [0, true])
    const before = await app.rows()
    await inspect(first)
    assert.deepEqual(await app.rows(), before, 'to inspect it is not to use it')

    const refreshed = await app.call('POST', '/refresh', { form: { refresh_token: first } })
    const second = refreshed.body.refresh_token
    assert.equal((await inspect(first)).revoked, true)
    assert.equal((await inspect(second)).passes, true)

    await gatehouse(app.directory, 'account lock ann')
    assert.equal((await inspect(second)).revoked, true)
    await gatehouse(app.directory, 'account unlock ann')
    const third = (await app.pair(ann)).refresh_token
    clock.advance(604_800)
    const late = await inspect(third)
    assert.deepEqual([late.code, late.expired, late.revoked], [4, true, null])
    assert.match(late.stderr, /it has expired/)
  })
})
