// A database makes a difference: jobs, checkpoints and warnings compare the clock with stored times.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock } from '../clock.ts'
import { heard } from '../database.ts'
import { enrolled } from '../factor.ts'
import { doors, newHost, throttleAlone } from '../logins.ts'
import { until } from '../until.ts'

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
  const app = await testApp({ ...throttleAlone, LOGIN_TOKEN_SECONDS: String(2 * day) })
  const short = await testApp({}, { directory: app.directory, clock: app.clock })
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
    const next = await testApp({}, { directory: app.directory, clock: app.clock })
    assert.equal(revokedOnes.length, 6)
    for (const headers of revokedOnes) {
      assert.equal((await next.call('GET', '/api/me', { headers })).status, 401)
    }
  })
})

/** Logs in by a token; fails if the login waits for more than two seconds of the clock. */
async function tokenOf(app: TestApp): Promise<string> {
  const login = app.token(app.admin)
  let isDone = false
  login.finally(() => {
    isDone = true
  })
  await until(() => isDone || app.clock.waits().length > 0)
  if (!isDone) {
    assert.deepEqual(app.clock.waits(), [2])
    app.clock.advance(2)
  }
  return login
}

async function runJobs(app: TestApp): Promise<void> {
  for (const job of app.app.jobs) await job.run()
}

/** Replaces the key of access tokens. */
async function rotate(app: TestApp, json: object): Promise<{ before: string; kid: string }> {
  const headers = app.basic(app.admin)
  const { body } = await app.call('POST', '/api/admin/keys/rotate', { headers, json })
  return body
}

const use = async (app: TestApp, token: string) =>
  (await app.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })).status

/** What the log, readiness, doctor, the status and the command line say of a clock that is behind. */
async function reports(app: TestApp) {
  await app.app.jobs.find(({ name }) => name === 'warnings')?.run()
  const headers = app.basic(app.admin)
  const ready = await app.call('GET', '/health/ready')
  const doctor = await app.call('GET', '/api/admin/doctor', { headers })
  const status = await app.call('GET', '/api/admin/status', { headers })
  const command = await gatehouse(app.directory, 'doctor --json', { clock: app.clock })
  const isFound = ({ findings }: { findings: { check: string }[] }) =>
    findings.some(({ check }) => check === 'clock_set_back')
  const [logged] = app.log.filter(({ reason }) => reason === 'clock_set_back')
  return {
    log: logged?.detail,
    ready: [ready.status, ready.body.warnings ?? []],
    status: status.body.readiness.warnings,
    doctor: isFound(doctor.body),
    command: isFound(JSON.parse(command.stdout)),
  }
}

suite('R7: a clock that was set, and stays', async () => {
  for (const [name, seconds, { session, bearer, refreshed }] of [
    ['an hour ahead', hour, { session: 401, bearer: 401, refreshed: 200 }],
    // What was issued later than now is not valid yet: spec 3.2.
    ['an hour back', -hour, { session: 200, bearer: 401, refreshed: 401 }],
    ['two days ahead', 2 * day, { session: 401, bearer: 401, refreshed: 200 }],
  ] as const) {
    test(`${name}: logins, tokens, sessions, jobs and checkpoints`, async () => {
      const app = await testApp()
      const [before, token] = [await app.session(app.admin), await app.token(app.admin)]
      const { refresh_token } = await app.pair(app.admin)
      await runJobs(app)
      app.clock.advance(seconds)
      await runJobs(app)

      assert.equal(await use(app, await tokenOf(app)), 200)
      const pair = await app.pair(app.admin)
      assert.equal(await use(app, pair.access_token), 200)
      const refresh = (text: string) =>
        app.call('POST', '/refresh', { json: { refresh_token: text } })
      const next = await refresh(pair.refresh_token)
      assert.equal(next.status, 200)
      assert.equal(await use(app, next.body.access_token), 200)
      const after = await app.session(app.admin)
      assert.equal((await app.call('GET', '/api/session', { headers: after })).status, 200)

      const old = await app.call('GET', '/api/session', { headers: before })
      assert.deepEqual(
        [old.status, await use(app, token), (await refresh(refresh_token)).status],
        [session, bearer, refreshed],
      )

      app.clock.advance(10) // a checkpoint that is younger would suffice
      await runJobs(app)
      const newest = await app.deps.db
        .selectFrom('audit_records')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      const checkpoint = await app.deps.db
        .selectFrom('audit_checkpoints')
        .select(['at', 'records'])
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      assert.deepEqual([checkpoint.at, checkpoint.records], [app.clock.now(), Number(newest.count)])
      const failed = app.log.filter(({ msg }) => /job failed/.test(String(msg)))
      assert.deepEqual(failed, [])
      const isBehind = seconds < 0
      const { log, ...seen } = await reports(app)
      assert.equal(log !== undefined, isBehind)
      const warnings = isBehind ? ['clock_set_back'] : []
      assert.deepEqual(seen, {
        ready: [200, warnings.length > 0 ? warnings : []],
        status: warnings,
        doctor: isBehind,
        command: isBehind,
      })
      await app.close()
    })
  }

  test('a first start an hour ahead: when the clock is right, a login waits for nothing', async () => {
    const clock = fixedClock()
    const first = await testApp({ TOKEN_ALGORITHM: '' }, { isEmpty: true, clock })
    clock.advance(-hour)
    const [one, two] = await Promise.all([tokenOf(first), first.pair(first.admin)])
    assert.deepEqual(clock.waits(), [])
    for (const token of [one, two.access_token]) assert.equal(await use(first, token), 200)
    const { refresh_token } = two
    assert.equal((await first.call('POST', '/refresh', { json: { refresh_token } })).status, 200)

    const { log, ...seen } = await reports(first)
    assert.equal(
      log,
      'The latest record of the audit log is of 2026-01-15T12:00:00.000Z, and this machine has 2026-01-15T11:00:00.000Z: its clock is behind, or was ahead then.',
    )
    assert.deepEqual(seen, {
      ready: [200, ['clock_set_back']],
      status: ['clock_set_back'],
      doctor: true,
      command: true,
    })
    const { directory } = first
    const again = await testApp({ TOKEN_ALGORITHM: '' }, { directory, clock })
    assert.equal(await use(again, await tokenOf(again)), 200)
    assert.deepEqual(clock.waits(), [])
    clock.advance(hour)
    assert.deepEqual((await reports(first)).ready, [200, []])
    assert.ok(first.log.some(({ msg }) => msg === 'ready without warnings again'))
    await Promise.all([first.close(), again.close()])
  })

  test('a key that was made while the clock was ahead signs after two seconds at most', async () => {
    const clock = fixedClock()
    const app = await testApp({}, { clock })
    clock.advance(hour)
    const { before, kid } = await rotate(app, { at_once: true })
    clock.advance(3)
    const headers = app.basic(app.admin)
    const retired = await app.call('POST', `/api/admin/keys/${before}/retire`, { headers })
    assert.equal(retired.status, 200)
    clock.advance(-hour)
    const seen = await tokenOf(app)
    assert.deepEqual([decodeProtectedHeader(seen).kid, clock.waits()], [kid, []])
    assert.equal(await use(app, seen), 200)
    // A process that sees the key for the first time cannot know whether the others do.
    const next = await testApp({}, { directory: app.directory, clock })
    const login = next.token(next.admin)
    await until(() => clock.waits().length > 0)
    assert.deepEqual(clock.waits(), [2])
    clock.advance(2)
    assert.equal(decodeProtectedHeader(await login).kid, kid)
    assert.equal(await use(app, await login), 200)
    await next.token(next.admin)
    assert.deepEqual(clock.waits(), [])
    await Promise.all([app.close(), next.close()])
  })

  test('a key whose time was stamped by a clock ahead signs when it was published for ten minutes', async () => {
    const clock = fixedClock()
    const app = await testApp({}, { clock })
    clock.advance(hour)
    const { before, kid } = await rotate(app, {})
    clock.advance(-hour)
    assert.equal(decodeProtectedHeader(await tokenOf(app)).kid, before)
    clock.advance(599.999)
    assert.equal(decodeProtectedHeader(await tokenOf(app)).kid, before)
    clock.advance(0.001)
    assert.equal(decodeProtectedHeader(await tokenOf(app)).kid, kid)
    await app.close()
  })
})
