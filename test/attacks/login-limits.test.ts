import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { hash as argon2Hash } from '@node-rs/argon2'
import { ApiError } from '../../src/core/errors.ts'
import { canonicalUsername } from '../../src/core/lib/username.ts'
import { createAutomaticLock } from '../../src/modules/accounts/lock.ts'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import {
  createLoginLimits,
  type LoginAttempt,
  type LoginLimits,
} from '../../src/modules/throttle/limits.ts'
import { startService } from '../../tools/service.ts'
import { type Answer, testApp } from '../app.ts'
import { databaseLock } from '../database.ts'
import { countHashes, storeHash } from '../hashes.ts'
import {
  assertBlocked,
  doors,
  eventsNamed,
  everyDoor,
  guess,
  newHost,
  placesOf,
  tally,
  tryTimes,
  visible,
} from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'

const nobody = (index: number) => ({ username: `nobody-${index}` })
const some = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n))

/** Hundreds at once take their time on a machine that does much else. */
const patient = { DATABASE_TIMEOUT_MS: '10000' }

suite('the limit per address', async () => {
  const app = await testApp(patient)
  const ann = await app.account('ann')
  const { directory, clock } = app
  const other = await testApp(patient, { directory, clock })
  const rowsOf = (address: string) =>
    app.deps.db.selectFrom('throttle_places').selectAll().where('address', '=', address).execute()

  test('T25: 200 parallel guesses at 200 usernames get 20 verifications and 180 times 429', async () => {
    const from = newHost()
    const { hashes, result } = await countHashes(() =>
      Promise.all(some(200, (index) => guess(app, nobody(index), from))),
    )
    assert.deepEqual(tally(result), { 401: 20, 429: 180 })
    assert.equal(hashes, 20)
    for (const answer of result) if (answer.status === 429) assertBlocked(answer, '3600')
    const rows = await rowsOf(from)
    assert.deepEqual([rows.length, rows.filter(({ pending }) => pending).length], [40, 0])
  })

  test('60 parallel right logins from one address all succeed and leave no place taken', async () => {
    const from = newHost()
    const answers = await Promise.all(some(60, () => doors.JSON(app, ann, { from })))
    assert.deepEqual(tally(answers), { 200: 60 })
    assert.deepEqual(await rowsOf(from), [])
  })

  test('T24: every door takes from the same 20, and two processes share them', async () => {
    const from = newHost()
    const answers: Answer[] = []
    for (let index = 0; index < 24; index += 1) {
      const [, door = doors.JSON] = everyDoor[index % everyDoor.length] ?? []
      const who = { ...nobody(index), password: 'not the password' }
      answers.push(await door(index % 2 ? app : other, who, { from }))
    }
    assert.deepEqual(tally(answers), { 401: 20, 429: 4 })
  })

  test('T22: a /64 of IPv6 is one address, the next one is another', async () => {
    const address = (index: number, network = 1) => `2001:db8:9:${network}:${index.toString(16)}::1`
    for (let index = 0; index < 20; index += 1) {
      assert.equal((await guess(app, nobody(index), address(index * 1021))).status, 401)
    }
    assertBlocked(await doors.JSON(app, ann, { from: address(7) }), '3600')
    assert.equal((await doors.JSON(app, ann, { from: address(7, 2) })).status, 200)
  })

  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip']) {
    test(`T20: ${name} of an untrusted peer changes nothing`, async () => {
      const from = newHost()
      const strict = await testApp({ LOGIN_IP_ATTEMPTS: '3', RATE_LIMIT_MAX: '5' })
      const statuses: number[] = []
      for (let index = 0; index < 6; index += 1) {
        const headers = { [name]: `203.0.113.${index}` }
        const who = { ...nobody(index), password: 'not the password' }
        statuses.push((await doors.JSON(strict, who, { from, headers })).status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 429, 429, 429])
      assert.equal((await strict.call('GET', '/api/public/status', { from })).status, 429)
      await strict.close()
    })
  }

  test('a Basic caller whose password is remembered is 429 as well once they are used up', async () => {
    const from = newHost()
    assert.equal((await doors.Basic(app, ann, { from })).status, 200)
    for (let index = 0; index < 20; index += 1) await guess(app, nobody(index), from)
    assertBlocked(await doors.Basic(app, ann, { from }), '3600')
    assert.equal((await doors.Basic(app, ann, { from: newHost() })).status, 200)
  })

  test('a try that the throttle blocks takes no place of its address, and leaves no row', async () => {
    const from = newHost()
    await tryTimes(5, () => guess(app, nobody(0), from))
    const before = await rowsOf(from)
    assert.deepEqual(await tryTimes(20, () => guess(app, nobody(0), from)), Array(20).fill(429))
    assert.deepEqual(await rowsOf(from), before)
    assert.equal((await guess(app, nobody(1), from)).status, 401)
  })

  test('no password is looked at, and no place is left, where none can be taken', async () => {
    const from = newHost()
    const hasty = await testApp({ DATABASE_TIMEOUT_MS: '50' }, { directory, clock })
    const lock = await databaseLock(app)
    await lock.hold()
    const { hashes, result } = await countHashes(() => doors.JSON(hasty, ann, { from }))
    await lock.release()
    await hasty.close()
    assertRefusal(result, 503, 'Service unavailable')
    assert.equal(hashes, 0)
    assert.deepEqual(await rowsOf(from), [])
  })

  test('T28: the places of each count go when its own window has passed over them', async () => {
    const from = newHost()
    const purge = async () => {
      for (const { name, run } of app.app.jobs) if (name === 'throttle places') await run()
      return (await rowsOf(from)).length
    }
    for (let index = 0; index < 10; index += 1) await guess(app, nobody(index), from)
    assert.equal(await purge(), 20)
    clock.advance(900)
    assert.equal(await purge(), 10)
    clock.advance(2699)
    assert.equal(await purge(), 10)
    clock.advance(1)
    assert.equal(await purge(), 0)
    assert.deepEqual((await app.rows()).throttle_places, [])
  })
})

/** An attempt that has its places, and no verdict before it is told one. */
async function taken(limits: LoginLimits, login: LoginAttempt): Promise<{ keep(): Promise<void> }> {
  const [begun, verdict] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  const attempt = limits.attempt(login, () => {
    begun.resolve()
    return verdict.promise
  })
  await Promise.race([begun.promise, attempt])
  return {
    async keep() {
      verdict.reject(new ApiError('invalidCredentials', { reason: { code: 'no_such_account' } }))
      await assert.rejects(attempt)
    },
  }
}

suite('places of a process that is gone', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '3' })
  const ann = await app.account('ann')
  const admin = await app.bearer(app.admin)
  const limits = createLoginLimits({
    ...app.deps,
    captcha: { challenge: () => assert.fail(), accepts: () => assert.fail() },
    failures: { failed: async () => null, succeeded: async () => {} },
    keys: await loadKeySet(app.deps),
  })
  /** As a process that is killed while it verifies. */
  const abandon = (username: string, address: string) => {
    const name = canonicalUsername(username)
    assert.ok(name)
    return taken(limits, { username: name, address })
  }
  const blocked = async () => {
    const { body } = await app.call('GET', '/api/admin/statistics', { headers: admin })
    return body.blocked.addresses
  }

  test('lapse for the address after 10 seconds, and are used ones for the name', async () => {
    const address = newHost()
    for (const username of ['ann', 'bob', 'cid']) await abandon(username, address)
    app.clock.advance(9.999)
    const waits = doors.JSON(app, ann, { from: address })
    await until(() => app.clock.waits().length === 1)
    app.clock.advance(0.001)
    assert.equal((await waits).status, 200, 'the address is free')

    const from = newHost()
    for (let index = 0; index < 3; index += 1) await abandon('dan', from)
    app.clock.advance(10)
    for (let index = 0; index < 2; index += 1) {
      const login = await abandon('dan', from)
      await login.keep()
    }
    assertBlocked(await guess(app, { username: 'dan' }, from), '890')
    assert.equal((await guess(app, nobody(1), from)).status, 401, 'two of three are used')
    assertBlocked(await guess(app, nobody(2), from), '3600')
  })

  test('a failure that is stored after they lapsed counts again', async () => {
    const address = newHost()
    const slow = await Promise.all([1, 2, 3].map((index) => abandon(`slow${index}`, address)))
    app.clock.advance(10)
    for (const place of slow) await place.keep()
    assertBlocked(await doors.JSON(app, ann, { from: address }), '3590')
  })

  test('an administrator sees what counts', async () => {
    const address = newHost()
    const before = await blocked()
    for (const index of [1, 2, 3]) await abandon(`seen${index}`, address)
    assert.equal(await blocked(), before + 1)
    app.clock.advance(10)
    assert.equal(await blocked(), before)
    const { body } = await app.call('GET', '/api/admin/throttle?limit=100', { headers: admin })
    const shown = body.counts.data.filter((count: { address: string }) => count.address === address)
    const by = (name: string) => shown.filter((row: { count: string }) => row.count === name)
    const { used, pending, blocked_until } = by('address')[0]
    assert.deepEqual([used, pending, blocked_until], [0, 0, null])
    assert.deepEqual(
      by('login').map((row: { used: number; pending: number }) => [row.used, row.pending]),
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
    )
  })
})

suite('the automatic lock', async () => {
  const app = await testApp(patient)
  const { directory, clock } = app
  const other = await testApp(patient, { directory, clock })
  const stored = async (userId: number) =>
    app.deps.db
      .selectFrom('accounts')
      .select(['failed_logins', 'locked_until'])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  const lockAt = (userId: number, until: number) =>
    app.deps.db
      .updateTable('accounts')
      .set({ locked_until: until })
      .where('user_id', '=', userId)
      .execute()
  const locks = () => eventsNamed(app, 'authn_login_lock') + eventsNamed(other, 'authn_login_lock')

  test('200 parallel failures over 200 addresses, at two processes, lock exactly once', async () => {
    const ann = await app.account('ann')
    const before = locks()
    const guesses = some(200, (index) => guess(index % 2 ? app : other, ann, newHost()))
    assert.deepEqual(tally(await Promise.all(guesses)), { 401: 200 })
    assert.equal(locks() - before, 1)
    const locked = { failed_logins: 0, locked_until: clock.now() + 1_800_000 }
    assert.deepEqual({ ...(await stored(ann.userId)) }, locked)
  })

  test('parallel failures lose no step', async () => {
    const bob = await app.account('bob')
    await Promise.all(some(9, (index) => guess(index % 2 ? app : other, bob, newHost())))
    assert.equal((await stored(bob.userId)).failed_logins, 9)
    assert.equal((await guess(app, bob, newHost())).status, 401)
    assert.ok((await stored(bob.userId)).locked_until)
  })

  const dear = { memoryCost: 65_536, timeCost: 4 } // its verification takes longer than a lock
  for (const [name, door] of [
    ['JSON', doors.JSON],
    ['form, session', doors['form, session']],
    ['Basic', doors.Basic],
  ] as const) {
    test(`a lock during the verification refuses the right password, and stays: ${name}`, async () => {
      const who = await app.account(`late ${name}`)
      await storeHash(app, who.userId, await argon2Hash(who.password, dear))
      const from = newHost()
      const login = door(app, who, { from })
      await until(async () => (await placesOf(app, from)).length === 1)
      await lockAt(who.userId, clock.now() + 1000)
      const answer = await login
      const error = name === 'Basic' ? 'Authentication required' : 'Invalid credentials'
      assertRefusal(answer, 401, error)
      assert.deepEqual(answer.cookies, {})
      assert.deepEqual(
        (await placesOf(app, from)).map(({ pending }) => pending),
        [0],
      )
      assert.equal((await stored(who.userId)).locked_until, clock.now() + 1000)
    })
  }

  test('a success that was verified before the lock does not lift it', async () => {
    const cat = await app.account('cat')
    const lock = createAutomaticLock({ ...app.deps, endSignIns: async () => {} })
    const username = canonicalUsername(cat.username)
    assert.ok(username)
    await lockAt(cat.userId, clock.now() + 1)
    await lock.succeeded(app.deps.db, username)
    assert.equal((await stored(cat.userId)).locked_until, clock.now() + 1)
    clock.advance(0.001)
    await lock.succeeded(app.deps.db, username)
    assert.equal((await stored(cat.userId)).locked_until, null)
  })

  test('T30: locked, wrong and unknown look alike and cost one hash, through every door', async () => {
    const dan = await app.account('dan')
    await lockAt(dan.userId, clock.now() + 60_000)
    for (const [name, door] of everyDoor) {
      const answers: Answer[] = []
      for (const who of [
        dan,
        { ...dan, password: 'not the password' },
        { ...dan, username: 'nobody' },
      ]) {
        const { hashes, result } = await countHashes(() => door(app, who, { from: newHost() }))
        assert.equal(hashes, 1, name)
        answers.push(result)
      }
      for (const answer of answers) {
        assert.deepEqual(visible(answer), visible(answers[0] ?? answer), name)
      }
    }
    assert.equal((await stored(dan.userId)).failed_logins, 0)
  })

  test('a Basic caller whose password is remembered is refused while it holds, and forgives', async () => {
    const eva = await app.account('eva')
    const from = newHost()
    assert.equal((await doors.Basic(app, eva, { from })).status, 200)
    for (let tries = 0; tries < 9; tries += 1) await guess(app, eva, newHost())
    const { hashes, result } = await countHashes(() => doors.Basic(app, eva, { from }))
    assert.deepEqual([result.status, hashes], [200, 0])
    assert.equal((await stored(eva.userId)).failed_logins, 0)
    await lockAt(eva.userId, clock.now() + 1000)
    assertRefusal(await doors.Basic(app, eva, { from }), 401, 'Authentication required')
    clock.advance(1)
    assert.equal((await doors.Basic(app, eva, { from })).status, 200)
  })

  test('T32: the tries of one address alone do not lock within an hour of the throttle', async () => {
    const fay = await app.account('fay')
    const attacker = newHost()
    await tryTimes(10, () => guess(app, fay, attacker))
    assert.equal((await stored(fay.userId)).failed_logins, 5)
    assert.equal((await doors.JSON(app, fay, { from: newHost() })).status, 200)
  })

  test('a restart forgets neither the count nor the lock', async () => {
    const gus = await app.account('gus')
    for (let tries = 0; tries < 9; tries += 1) await guess(app, gus, newHost())
    for (const running of [app, other]) await running.app.server.close()
    const second = await testApp({}, { directory, clock })
    await guess(second, gus, newHost())
    await second.app.server.close()
    const third = await testApp({}, { directory, clock })
    const right = await doors.JSON(third, gus, { from: newHost() })
    assertRefusal(right, 401, 'Invalid credentials')
    clock.advance(1800)
    assert.equal((await doors.JSON(third, gus, { from: newHost() })).status, 200)
  })
})

suite('kill -9', async () => {
  const password = 'the keeper of all tests'
  const settings = { NODE_ENV: 'test', ADMIN_PASSWORD: password, LOGIN_ATTEMPTS: '0' }
  const command = [process.execPath, 'src/main.ts'] as const

  test('T28: forgets neither the lock nor the places of an address', async () => {
    const env = { ...settings, LOGIN_LOCK_AFTER: '3', LOGIN_IP_ATTEMPTS: '4' }
    const first = await startService(command, env)
    after(() => first.stop('SIGKILL'))
    after(() => first.remove())
    const login = async (url: string, secret: string) => {
      const body = new URLSearchParams({ username: 'admin', password: secret })
      return (await fetch(`${url}/login`, { method: 'POST', body })).status
    }
    for (let tries = 0; tries < 3; tries += 1) assert.equal(await login(first.url, 'wrong'), 401)
    await first.stop('SIGKILL')
    const second = await startService(command, env, first.dataDirectory)
    after(() => second.stop('SIGKILL'))
    assert.equal(await login(second.url, password), 401) // locked, and the fourth of this address
    assert.equal(await login(second.url, password), 429)
    await second.stop('SIGKILL')
  })
})
