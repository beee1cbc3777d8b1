import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { heard } from '../database.ts'
import { enrolled } from '../factor.ts'
import { doors, newHost, throttleAlone } from '../logins.ts'

const hour = 3600
const day = 24 * hour
const wrong = 'not the password'

/** The clock goes there and comes back, and the jobs run at both ends of the way. */
async function jump(app: TestApp, seconds: number): Promise<void> {
  for (const step of [seconds, -seconds]) {
    app.clock.advance(step)
    for (const job of app.app.jobs) await job.run()
  }
}

suite('R7: a clock that jumps', async () => {
  const app = await testApp({ ...throttleAlone, TOKEN_SECONDS: String(2 * day) })
  const short = await testApp({}, { directory: app.directory, clock: app.clock, seed: 2 })
  const revokedOnes: Record<string, string>[] = []
  const status = async (path: string, headers = {}) =>
    (await app.call('GET', path, { headers })).status

  for (const [name, seconds] of [
    ['an hour ahead and back', hour],
    ['an hour back and ahead', -hour],
    ['a day ahead and back', day],
  ] as const) {
    test(`${name}: a token that was revoked stays so, and a good one stays good`, async () => {
      const good = await app.bearer(app.admin)
      const revoked = await app.bearer(app.admin)
      const hourly = await short.bearer(short.admin)
      for (const headers of [revoked, hourly]) await app.call('POST', '/logout', { headers })
      await jump(app, seconds)
      await jump(short, seconds)
      await heard(app)
      for (const headers of [revoked, hourly]) assert.equal(await status('/api/me', headers), 401)
      assert.equal(await status('/api/me', good), 200)
      revokedOnes.push(revoked, hourly)
    })

    test(`${name}: a session that ended never comes back`, async () => {
      const session = await app.session(app.admin)
      app.clock.advance(31 * 60)
      assert.equal(await status('/api/session', session), 401)
      await jump(app, seconds)
      assert.equal(await status('/api/session', session), 401)
      app.clock.advance(-hour)
      assert.equal(await status('/api/session', session), 401)
      app.clock.advance(hour)
    })
  }

  test('back by an hour: a used code of the second factor is used', async () => {
    const { who, device } = await enrolled(app, 'steps')
    const json = { username: who.username, password: who.password, totp: device.code() }
    assert.equal((await app.call('POST', '/login', { json, from: newHost() })).status, 200)
    await jump(app, -hour)
    assert.equal((await app.call('POST', '/login', { json, from: newHost() })).status, 401)
    app.clock.advance(-hour)
    const early = { ...json, totp: device.code() }
    assert.equal((await app.call('POST', '/login', { json: early, from: newHost() })).status, 401)
    app.clock.advance(hour)
  })

  test('back by an hour: the window of failed logins is no shorter', async () => {
    const ann = await app.account('ann')
    const from = newHost()
    const guess = () => doors.JSON(app, { ...ann, password: wrong }, { from })
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await guess()).status, 401)
    await jump(app, -hour)
    assert.equal((await doors.JSON(app, ann, { from })).status, 429)
    app.clock.advance(-hour)
    assert.equal((await doors.JSON(app, ann, { from })).status, 429)
    app.clock.advance(hour + 14 * 60)
    assert.equal((await doors.JSON(app, ann, { from })).status, 429)
    app.clock.advance(61)
    assert.equal((await doors.JSON(app, ann, { from })).status, 200)
  })

  test('back by an hour: a session that is in use ends no sooner, and no later by itself', async () => {
    const session = await app.session(app.admin)
    await jump(app, -hour)
    assert.equal(await status('/api/session', session), 200)
    app.clock.advance(29 * 60)
    assert.equal(await status('/api/session', session), 200)
    app.clock.advance(31 * 60)
    assert.equal(await status('/api/session', session), 401)
  })

  test('the expiry of a token is judged by the time of day', async () => {
    const headers = await app.bearer(app.admin)
    app.clock.advance(2 * day)
    assert.equal(await status('/api/me', headers), 401)
    app.clock.advance(-2 * day)
  })

  test('a start afterwards brings none of the revoked tokens back', async () => {
    const next = await testApp({}, { directory: app.directory, clock: app.clock, seed: 3 })
    assert.equal(revokedOnes.length, 6)
    for (const headers of revokedOnes) {
      assert.equal((await next.call('GET', '/api/me', { headers })).status, 401)
    }
  })
})
