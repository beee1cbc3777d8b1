import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse as commandLine } from '../cli/gatehouse.ts'
import { steppingClock } from '../clock.ts'
import { heard } from '../database.ts'
import { enrolled } from '../factor.ts'

const day = 86_400
const published = 600

/** The command line on the database of an app, at the time of the app, while the service runs. */
const gatehouse = (app: TestApp, words: string, env: Record<string, string> = {}) => {
  const { now, wait } = steppingClock(app.clock)
  const clock = {
    now,
    async wait(milliseconds: number) {
      await job(app, 'keys of other processes') // as every second
      await wait(milliseconds)
    },
  }
  return commandLine(app.directory, words, { env, clock })
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid
const use = async (app: TestApp, token: string) =>
  (await app.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })).status
const job = async (app: TestApp, name: string) => {
  await heard(app)
  for (const each of app.app.jobs) if (each.name === name) await each.run()
}

suite('T19: rotation of the signing key', async () => {
  const app = await testApp()

  test('gatehouse keys rotate: a running service signs with the new key after ten minutes, and refuses no token', async () => {
    const before = await app.pair(app.admin)
    const { code, stdout } = await gatehouse(app, 'keys rotate --json')
    assert.equal(code, 0)
    const from = new Date(app.clock.now() + published * 1000).toISOString()
    const { signs, ...shown } = JSON.parse(stdout)
    const verifies = kidOf(before.access_token)
    assert.deepEqual(shown, { purpose: 'signing', signs_from: from, verifies })
    assert.equal(await use(app, before.access_token), 200)
    await job(app, 'keys of other processes')
    app.clock.advance(published - 0.001)
    assert.equal(kidOf(await app.token(app.admin)), kidOf(before.access_token))
    app.clock.advance(0.001)
    const after = await app.pair(app.admin)
    assert.equal(kidOf(after.access_token), signs)
    assert.equal(kidOf(after.refresh_token), kidOf(before.refresh_token))
    assert.equal(await use(app, before.access_token), 200)
    assert.equal(await use(app, after.access_token), 200)
    const { refresh_token } = before
    app.clock.advance(604_799 - published)
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 200)
  })

  test('gatehouse keys rotate --now: it signs when the command is done', async () => {
    const before = await app.pair(app.admin)
    const { code, stdout } = await gatehouse(app, 'keys rotate --now')
    assert.equal(code, 0)
    const after = await app.pair(app.admin)
    const [old, kid] = [kidOf(before.access_token), kidOf(after.access_token)]
    assert.notEqual(kid, old)
    const told = `${kid} signs from now on; ${old} still verifies: \`keys retire ${old}\` ends it\n`
    assert.equal(stdout, told)
    assert.equal(await use(app, before.access_token), 200)
    assert.equal((await gatehouse(app, `keys retire ${old}`)).code, 0)
    await job(app, 'keys of other processes')
    assert.equal(await use(app, before.access_token), 401)
    assert.equal(await use(app, after.access_token), 200)
  })

  test('gatehouse keys rotate --refresh: the key of refresh tokens, by the same rules', async () => {
    const before = await app.pair(app.admin)
    const refresh = (refresh_token: string) =>
      app.call('POST', '/refresh', { form: { refresh_token } })
    const rotated = JSON.parse((await gatehouse(app, 'keys rotate --refresh --json')).stdout)
    assert.deepEqual([rotated.purpose, rotated.verifies], ['refresh', kidOf(before.refresh_token)])
    app.clock.advance(published)
    const after = await app.pair(app.admin)
    assert.equal(kidOf(after.refresh_token), rotated.signs)
    assert.equal(kidOf(after.access_token), kidOf(before.access_token))
    for (const pair of [before, after]) {
      assert.equal((await refresh(pair.refresh_token)).status, 200)
    }
    assert.equal((await gatehouse(app, `keys retire ${rotated.verifies}`)).code, 0)
    await job(app, 'keys of other processes')
    assert.equal((await refresh(before.refresh_token)).status, 401)
    assert.equal((await refresh(after.refresh_token)).status, 200)
  })

  test('a process that has not seen the new key yet finds it in the database', async () => {
    const other = await testApp({}, { directory: app.directory, clock: app.clock })
    const before = kidOf(await app.token(app.admin))
    app.clock.advance(1)
    assert.equal((await gatehouse(other, 'keys rotate --now')).code, 0)
    const token = await other.token(other.admin)
    assert.notEqual(kidOf(token), before)
    app.clock.advance(1)
    assert.equal(await use(app, token), 200)
  })

  test('a key that signs, or is about to, is not retired: nothing would be left', async () => {
    const busy = await testApp()
    const [old, refresh] = await Promise.all(
      (['signing', 'refresh'] as const).map(async (purpose) => {
        const keys = await loadKeySet(busy.deps)
        return (await keys.signer(purpose)).kid
      }),
    )
    const { signs } = JSON.parse((await gatehouse(busy, 'keys rotate --json')).stdout)
    const { keys } = await busy.rows()
    for (const [kid, reason] of [
      [old, 'this key signs until its successor does: rotate --now is quicker'],
      [signs, 'this key signs: rotate first'],
      [refresh, 'this key signs: rotate first'],
    ]) {
      const refusal = await gatehouse(busy, `keys retire ${kid}`)
      assert.deepEqual(refusal, { code: 4, stdout: '', stderr: `error: ${reason}\n` }, kid)
    }
    assert.deepEqual((await busy.rows()).keys, keys)
    busy.clock.advance(published)
    assert.equal((await gatehouse(busy, `keys retire ${old}`)).code, 0)
  })

  test('a key of an algorithm that signs no more can be retired', async () => {
    const moved = await testApp({}, {})
    const old = await moved.token(moved.admin)
    const env = { TOKEN_SECRET: 'jG7#kq0ZP!w4vX9s@Lr2Ym6Tn8Bd1Cf3' }
    assert.equal((await gatehouse(moved, `keys retire ${kidOf(old)}`, env)).code, 0)
    await job(moved, 'keys of other processes')
    assert.equal(await use(moved, old), 401)
  })

  test('a command with another algorithm adds no key, by which the service would change its own', async () => {
    const steady = await testApp()
    const old = kidOf(await steady.token(steady.admin))
    const { keys } = await steady.rows()
    const env = { TOKEN_ALGORITHM: 'RS256' }
    const { code, stdout } = await gatehouse(steady, 'keys list --json', env)
    assert.equal(code, 0)
    const listed: { signs: boolean; purpose: string }[] = JSON.parse(stdout)
    const signing = listed.filter(({ signs }) => signs).map(({ purpose }) => purpose)
    assert.deepEqual(signing, ['refresh'])
    assert.equal((await gatehouse(steady, 'account list', env)).code, 0)
    const reason =
      'no RS256 key signs: is TOKEN_ALGORITHM right? The service makes such a key at its start'
    const refused = (exit: number) => ({ code: exit, stdout: '', stderr: `error: ${reason}\n` })
    assert.deepEqual(await gatehouse(steady, 'keys rotate', env), refused(1))
    assert.deepEqual(await gatehouse(steady, `keys retire ${old}`, env), refused(4))
    assert.deepEqual((await steady.rows()).keys, keys)
    assert.equal(kidOf(await steady.token(steady.admin)), old)
  })

  test('a command that knows shorter lives of refresh tokens makes no key sign before it is published', async () => {
    const long = await testApp({ REFRESH_TOKEN_SECONDS: String(30 * day) })
    const old = kidOf(await long.token(long.admin))
    const { signs } = JSON.parse((await gatehouse(long, 'keys rotate --json')).stdout)
    await job(long, 'keys of other processes')
    long.clock.advance(published - 1)
    assert.equal(kidOf(await long.token(long.admin)), old)
    long.clock.advance(1)
    assert.equal(kidOf(await long.token(long.admin)), signs)
  })

  for (const [lifetime, seconds] of [
    ['LOGIN_TOKEN_SECONDS', 20 * day],
    ['ACCESS_TOKEN_SECONDS', 21 * day],
    ['REFRESH_TOKEN_SECONDS', 22 * day],
  ] as const) {
    test(`an old key verifies for the longest lifetime and a minute, and then no more: ${lifetime}`, async () => {
      const env = { [lifetime]: String(seconds), TOKEN_ALGORITHM: 'HS256' }
      const start = await testApp(env)
      // The key is replaced as soon as these are signed: they are the last of it.
      const { access_token, refresh_token } = await start.pair(start.admin)
      const token = await start.token(start.admin)
      const kid = kidOf(token)
      // That of refresh tokens as well, which is another.
      const signedAt = start.clock.now()
      for (const words of ['keys rotate --now', 'keys rotate --now --refresh']) {
        assert.equal((await gatehouse(start, words, env)).code, 0)
      }
      start.clock.advance((signedAt - start.clock.now()) / 1000)
      const listed = JSON.parse((await gatehouse(start, 'keys list --json', env)).stdout)
      const old = listed.find((row: { kid: string }) => row.kid === kid)
      const until = start.clock.now() + (seconds + 60) * 1000
      assert.equal(old.verifies_until, new Date(until).toISOString())
      assert.equal(old.signs, false)

      start.clock.advance(seconds - 1)
      await job(start, 'keys of other processes')
      const last = {
        LOGIN_TOKEN_SECONDS: () => use(start, token),
        ACCESS_TOKEN_SECONDS: () => use(start, access_token),
        REFRESH_TOKEN_SECONDS: async () =>
          (await start.call('POST', '/refresh', { form: { refresh_token } })).status,
      }[lifetime]
      assert.equal(await last(), 200, 'in the last second of its life')
      start.clock.advance(1)
      assert.equal(await last(), 401, 'as every token')

      // The key itself ends a minute later: clocks of nodes differ.
      const keys = await loadKeySet(start.deps)
      start.clock.advance(59.999)
      assert.ok(await keys.find(kid))
      start.clock.advance(0.001)
      assert.equal(await keys.find(kid), undefined)
    })
  }

  test('gatehouse keys retire ends the tokens of a replaced key at once, kept ones too', async () => {
    const retired = await testApp()
    const token = await retired.token(retired.admin)
    assert.equal(await use(retired, token), 200)
    const kid = String(kidOf(token))
    const refusal = await gatehouse(retired, `keys retire ${kid}`)
    assert.equal(refusal.code, 4)
    assert.match(refusal.stderr, /this key signs/)
    retired.clock.advance(1)
    assert.equal((await gatehouse(retired, 'keys rotate --now')).code, 0)
    const { access_token: fresh } = await retired.pair(retired.admin)
    assert.notEqual(kidOf(fresh), kid)
    assert.equal(await use(retired, token), 200, 'replaced, it still verifies')
    assert.equal((await gatehouse(retired, `keys retire ${kid}`)).code, 0)
    await job(retired, 'keys of other processes')
    assert.equal(await use(retired, token), 401)
    assert.equal(await use(retired, fresh), 200)
    assert.equal(await use(retired, await retired.token(retired.admin)), 200)
  })

  test('gatehouse keys retire reaches no data key: stored secrets still open', async () => {
    const kept = await testApp()
    const { who, device } = await enrolled(kept, 'ann')
    const listed = JSON.parse((await gatehouse(kept, 'keys list --json')).stdout)
    const data = listed.filter((row: { purpose: string }) => row.purpose === 'data')
    assert.equal(data.length, 1)
    const { keys } = await kept.rows()
    const refusal = await gatehouse(kept, `keys retire ${data[0].kid}`)
    assert.deepEqual(refusal, {
      code: 3,
      stdout: '',
      stderr: `error: no signing key ${data[0].kid} that verifies\n`,
    })
    assert.deepEqual((await kept.rows()).keys, keys)
    await job(kept, 'keys of other processes')
    const json = { ...who, totp: device.code() }
    assert.equal((await kept.call('POST', '/login', { json })).status, 200)
  })

  test('KEY_ROTATION_DAYS rotates by itself, once', async () => {
    const auto = await testApp({ KEY_ROTATION_DAYS: '30' })
    const neighbour = await testApp(
      { KEY_ROTATION_DAYS: '30' },
      { directory: auto.directory, clock: auto.clock },
    )
    const first = await auto.token(auto.admin)
    auto.clock.advance(30 * day - 1)
    await job(auto, 'key rotation')
    assert.equal(kidOf(await auto.token(auto.admin)), kidOf(first))
    const last = await auto.token(auto.admin)
    auto.clock.advance(1)
    await Promise.all([job(auto, 'key rotation'), job(neighbour, 'key rotation')])
    await job(neighbour, 'keys of other processes')
    await job(auto, 'keys of other processes')
    const tokens = async () => [
      kidOf(await auto.token(auto.admin)),
      kidOf(await neighbour.token(neighbour.admin)),
    ]
    assert.deepEqual(await tokens(), [kidOf(first), kidOf(first)], 'published, it signs later')
    auto.clock.advance(published)
    const [one, two] = await tokens()
    assert.notEqual(one, kidOf(first))
    assert.equal(one, two)
    assert.equal(await use(auto, last), 200)
    const rotations = [...auto.log, ...neighbour.log].filter(({ event }) => event === 'key_rotated')
    assert.deepEqual(rotations.map(({ purpose }) => purpose).toSorted(), ['refresh', 'signing'])
    assert.equal((await auto.rows()).keys?.length, 5)
  })

  test('a key of the operator is not rotated by command', async () => {
    const secret = 'jG7#kq0ZP!w4vX9s@Lr2Ym6Tn8Bd1Cf3'
    const own = await testApp({ TOKEN_SECRET: secret })
    const refusal = await gatehouse(own, 'keys rotate', { TOKEN_SECRET: secret })
    assert.equal(refusal.code, 1)
    assert.match(refusal.stderr, /TOKEN_SECRET_PREVIOUS/)
    const refreshed = await gatehouse(own, 'keys rotate --refresh', { TOKEN_SECRET: secret })
    assert.equal(refreshed.code, 0, 'which is never the key of the operator')
  })

  test('unknown kids cause one look at the database a second, not one each', async () => {
    const quiet = await testApp()
    const token = await quiet.token(quiet.admin)
    const [, payload, signature] = token.split('.')
    await quiet.deps.db.schema.alterTable('keys').renameTo('hidden_keys').execute()
    const answers: number[] = []
    for (let index = 0; index < 200; index += 1) {
      const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: `k${index}` }))
      answers.push(await use(quiet, `${header.toString('base64url')}.${payload}.${signature}`))
    }
    await quiet.deps.db.schema.alterTable('hidden_keys').renameTo('keys').execute()
    assert.deepEqual([...new Set(answers)], [401])
  })
})
