// A database makes a difference: attempts are reserved and settled by locks and transactions.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { after, suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { realHashes, testApp } from '../app.ts'
import { databaseLock, refuseChanges } from '../database.ts'
import { countHashes, importedHashes, storeHash } from '../hashes.ts'
import {
  assertBlocked,
  doors,
  guess,
  newHost,
  placesOf,
  takePlaces,
  tally,
  throttleAlone,
  tryTimes,
} from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { watchedDatabase } from '../watched-database.ts'

suite('a place is taken before the verdict', async () => {
  const app = await testApp({ ...realHashes, ...throttleAlone, DATABASE_TIMEOUT_MS: '50' })
  const ann = await app.account('ann')

  test('a login waits 2 seconds at most while others are verified, then it is 429', async () => {
    const address = newHost()
    await takePlaces(app, 5, { username: 'ann', address })
    let answered = false
    const { hashes, result } = await countHashes(async () => {
      const login = doors.JSON(app, ann, { from: address }).finally(() => {
        answered = true
      })
      await until(() => app.clock.waits().length === 1)
      app.clock.advance(1.999)
      await until(() => app.clock.waits().length === 1)
      assert.equal(answered, false)
      app.clock.advance(0.001)
      return login
    })
    assertBlocked(result, '8') // when the places that are pending will be used or free
    assert.equal(hashes, 0)
    assert.equal(app.clock.waits().length, 0)
    assert.equal((await placesOf(app, address)).length, 5)
  })

  test('a login that waits goes on when another process gives a place back', async () => {
    const address = newHost()
    await takePlaces(app, 5, { username: 'ann', address })
    const login = doors.JSON(app, ann, { from: address })
    await until(() => app.clock.waits().length === 1)
    const [first] = await placesOf(app, address)
    await app.deps.db
      .deleteFrom('throttle_places')
      .where('id', '=', first?.id ?? 0)
      .execute()
    app.clock.advance(0.1)
    assert.equal((await login).status, 200)
    // Its own place is gone; the four that others wait with are not its to remove.
    assert.equal((await placesOf(app, address)).length, 4)
  })

  test('a pending place older than 10 seconds is a used one, and a success removes it', async () => {
    const address = newHost()
    await takePlaces(app, 5, { username: 'ann', address })
    app.clock.advance(9.999)
    const waits = doors.JSON(app, ann, { from: address })
    await until(() => app.clock.waits().length === 1)
    app.clock.advance(0.1)
    assertBlocked(await waits, '890')
    assertBlocked(await doors.JSON(app, ann, { from: address }), '890') // no attempt is pending
    await app.deps.db.deleteFrom('throttle_places').where('address', '=', address).execute()
    await takePlaces(app, 4, { username: 'ann', address })
    app.clock.advance(10)
    assert.equal((await doors.JSON(app, ann, { from: address })).status, 200)
    assert.deepEqual(await placesOf(app, address), [])
  })

  test('T29: a failure that cannot be written down still counts', async () => {
    const from = newHost()
    await takePlaces(app, 4, { username: 'ann', address: from, pending: 0 })
    const lock = await databaseLock(app)
    const login = guess(app, ann, from)
    await until(async () => (await placesOf(app, from)).length === 5)
    await lock.hold()
    const answer = await login
    await lock.release()
    assertRefusal(answer, 503, 'Service unavailable')
    app.clock.advance(10)
    assertBlocked(await doors.JSON(app, ann, { from }), '890')
  })

  test('no password is looked at while no place can be taken', async () => {
    const from = newHost()
    const lock = await databaseLock(app)
    await lock.hold()
    const { hashes, result } = await countHashes(() => doors.JSON(app, ann, { from }))
    await lock.release()
    assertRefusal(result, 503, 'Service unavailable')
    assert.equal(hashes, 0)
    assert.ok(app.log.some(({ level, msg }) => level === 'error' && msg === 'Service unavailable'))
  })

  test('a verification whose turn comes after 5 seconds is 503: its place could lapse before the verdict', async () => {
    let late = 0
    const watched = await watchedDatabase(({ table }) => {
      if (table === 'accounts' && late > 0) slow.clock.advance(late)
    })
    const slow = await testApp(throttleAlone, watched)
    const bob = await slow.account('bob')
    for (const [seconds, status] of [
      [5, 200],
      [5.001, 503],
    ] as const) {
      const from = newHost()
      late = seconds
      const { hashes, result } = await countHashes(() => doors.JSON(slow, bob, { from }))
      late = 0
      assert.equal(result.status, status)
      assert.deepEqual(await placesOf(slow, from), [])
      if (status === 200) continue
      assertRefusal(result, 503, 'Service unavailable')
      assert.equal(result.headers['retry-after'], '2')
      assert.equal(hashes, 0)
    }
    await slow.close()
  })

  test('a right password whose better hash cannot be stored takes no place', async () => {
    const from = newHost()
    await storeHash(app, ann.userId, (await importedHashes.bcrypt?.(ann.password)) ?? '')
    const allow = await refuseChanges(app, 'update of hash on passwords')
    await doors.JSON(app, ann, { from })
    await allow()
    assert.deepEqual(await placesOf(app, from), [])
  })

  test('T33: with the hashing queue full a login is 503, has no place, and other routes answer', async () => {
    const env = { ...realHashes, ...throttleAlone, DATABASE_TIMEOUT_MS: '10000' }
    const patient = await testApp(env, { directory: app.directory, clock: app.clock })
    const from = newHost()
    const tries = availableParallelism() + 128 + 70 // what runs, what waits, what is too many
    const logins = Promise.all(
      Array.from({ length: tries }, (_, index) => guess(patient, { username: `u${index}` }, from)),
    )
    await until(async () => (await placesOf(app, from)).length > 100)
    assert.equal((await patient.call('GET', '/health/ready')).status, 200)
    const answers = await logins
    const refused = answers.filter(({ status }) => status === 503)
    assert.ok(refused.length > 0 && refused.length <= 70, `${refused.length} refused`)
    for (const answer of refused) {
      assertRefusal(answer, 503, 'Service unavailable')
      assert.equal(answer.headers['retry-after'], '2')
    }
    const used = await placesOf(app, from)
    assert.equal(used.length, tries - refused.length)
    assert.ok(used.every(({ pending }) => pending === 0))
    // A refusal that was planned is no failure, and many of them are one line.
    const lines = patient.log.filter(({ msg }) => msg === 'refused as planned')
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['warn'],
    )
    assert.ok(!patient.log.some(({ level }) => level === 'error'))
    await patient.close()
  })
})

suite('the places lie in the database', async () => {
  const app = await testApp(throttleAlone)
  const ann = await app.account('ann')
  const { directory, clock } = app
  const onSameData = (env: Record<string, string>) =>
    testApp({ ...throttleAlone, ...env }, { directory, clock })
  const other = await onSameData({})
  const strict = await onSameData({ LOGIN_ATTEMPTS: '2', LOGIN_WINDOW_SECONDS: '60' })
  const open = await onSameData({ LOGIN_ATTEMPTS: '0' })

  test('two processes on one data directory share the count', async () => {
    const from = newHost()
    assert.deepEqual(await tryTimes(3, () => guess(app, ann, from)), [401, 401, 401])
    assert.deepEqual(await tryTimes(3, () => guess(other, ann, from)), [401, 401, 429])
    assertBlocked(await doors.JSON(app, ann, { from }), '900')
  })

  test('T25: 100 parallel guesses at each of two processes get 5 verifications', async () => {
    const from = newHost()
    let done = false
    const { hashes, result } = await countHashes(async () => {
      const guesses = Array.from({ length: 200 }, (_, n) => guess(n % 2 ? app : other, ann, from))
      const all = Promise.all(guesses).finally(() => {
        done = true
      })
      await until(async () => {
        const places = await placesOf(app, from)
        if (places.every(({ pending }) => pending === 0)) clock.advance(0.1) // the next look
        return done
      })
      return all
    })
    assert.deepEqual(tally(result), { 401: 5, 429: 195 })
    assert.equal(hashes, 5)
  })

  test('what was typed as a username cannot be found by hashing what it may have been', async () => {
    const typed = 'Correct Horse Battery'
    const env = { LOGIN_PROOF_OF_WORK_AFTER: '3' }
    const asking = await testApp(env, { directory: app.directory, clock: app.clock })
    const from = newHost()
    await guess(asking, { username: typed }, from)
    const rows = await app.deps.db.selectFrom('throttle_places').selectAll().execute()
    const stored = JSON.stringify(rows)
    assert.equal(rows.filter(({ address }) => address === from).length, 3)
    for (const form of [typed, typed.toLowerCase()]) {
      for (const encoding of ['base64url', 'base64', 'hex'] as const) {
        const plain = hash('sha256', form, encoding)
        assert.equal(stored.includes(plain), false, encoding)
      }
      assert.equal(stored.includes(form), false)
    }
    // The same on every node, and nothing of it in another installation.
    await guess(app, { username: typed }, from)
    assert.equal(new Set((await placesOf(app, from)).map(({ username }) => username)).size, 1)
    const elsewhere = await testApp({}, { clock: app.clock, seed: 10, isEmpty: true })
    await guess(elsewhere, { username: typed }, from)
    const [place] = await placesOf(elsewhere, from)
    assert.ok(place && !stored.includes(place.username))
  })

  test('the count is made against the present settings', async () => {
    const from = newHost()
    assert.deepEqual(await tryTimes(3, () => guess(app, ann, from)), [401, 401, 401])
    assertBlocked(await doors.JSON(strict, ann, { from }), '60')
    assert.deepEqual(await tryTimes(7, () => guess(open, ann, from)), Array(7).fill(401))
    assert.equal((await placesOf(app, from)).length, 3)
  })

  test('T28: five used tries are still used after a restart', async () => {
    const from = newHost()
    await tryTimes(5, () => guess(app, ann, from))
    for (const running of [app, other, strict, open]) await running.app.server.close()
    clock.advance(100)
    const restarted = await onSameData({})
    assertBlocked(await doors.JSON(restarted, ann, { from }), '800')
    assert.equal((await placesOf(restarted, from)).length, 5)
  })

  test('T28: five used tries are still used after kill -9', async () => {
    const command = [process.execPath, 'src/main.ts'] as const
    const settings = { NODE_ENV: 'test', ADMIN_PASSWORD: app.admin.password }
    const first = await startService(command, settings)
    after(() => first.stop('SIGKILL'))
    after(() => first.remove())
    const login = async (url: string, password: string) => {
      const body = new URLSearchParams({ username: 'admin', password })
      const { status } = await fetch(`${url}/login`, { method: 'POST', body })
      return status
    }
    assert.equal(await login(first.url, app.admin.password), 200)
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal(await login(first.url, 'not the password'), 401)
    }
    await first.stop('SIGKILL')
    const second = await startService(command, settings, first.dataDirectory)
    after(() => second.stop('SIGKILL'))
    assert.equal(await login(second.url, app.admin.password), 429)
    await second.stop('SIGKILL')
  })
})
