import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import { countHashes } from '../hashes.ts'
import {
  assertBlocked,
  doors,
  eventsNamed,
  everyDoor,
  guess,
  newHost,
  placesOf,
  takePlaces,
  tally,
  throttleAlone,
  tryTimes,
  visible,
} from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

suite('the login throttle counts', async () => {
  const app = await testApp(throttleAlone)
  const ann = await app.account('ann')
  const ben = await app.account('ben')

  test('T25: 200 parallel wrong guesses get 5 verifications and 195 times 429', async () => {
    const from = newHost()
    const [failed, blocked] = ['authn_login_fail', 'authn_login_fail_max'] as const
    const before = [eventsNamed(app, failed), eventsNamed(app, blocked)]
    const { hashes, result } = await countHashes(() =>
      Promise.all(Array.from({ length: 200 }, () => guess(app, ann, from))),
    )
    assert.deepEqual(tally(result), { 401: 5, 429: 195 })
    assert.equal(hashes, 5)
    const events = [eventsNamed(app, failed), eventsNamed(app, blocked)]
    assert.deepEqual(
      events.map((count, index) => count - (before[index] ?? 0)),
      [5, 195],
    )
    for (const answer of result) {
      if (answer.status === 429) assertBlocked(answer, '900')
      else assertRefusal(answer, 401, 'Invalid credentials')
    }
    const places = await placesOf(app, from)
    assert.deepEqual(
      places.map(({ pending }) => pending),
      [0, 0, 0, 0, 0],
    )
  })

  test('20 parallel right logins all succeed and leave no place taken', async () => {
    const from = newHost()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => doors['form, session'](app, ann, { from })),
    )
    assert.deepEqual(tally(answers), { 200: 20 })
    assert.equal(new Set(answers.map(({ cookies }) => cookies.JSESSIONID)).size, 20)
    assert.deepEqual(await placesOf(app, from), [])
  })

  test('T23, T24: 40 spellings of one user, through every door, share 5 tries', async () => {
    const from = newHost()
    const kit = await app.account('késfi')
    const letters = ['k', 'K', '\u212a', '\uff4b', '\u24da'] // Kelvin sign, fullwidth, circled
    const middles = ['és', 'e\u0301s', 'ÉS', 'é\u017f'] // composed or not, long s
    const ends = ['fi', '\ufb01 '] // the ligature
    const spellings = letters.flatMap((k) => middles.flatMap((es) => ends.map((fi) => k + es + fi)))
    assert.equal(new Set(spellings).size, 40)
    const { hashes, result } = await countHashes(async () => {
      const answers: Answer[] = []
      for (const [index, username] of spellings.entries()) {
        const [, door] = everyDoor[index % everyDoor.length] ?? []
        if (door)
          answers.push(await door(app, { username, password: 'not the password' }, { from }))
      }
      return answers
    })
    assert.deepEqual(tally(result), { 401: 5, 429: 35 })
    assert.equal(hashes, 5)
    for (const [, door] of everyDoor) assertBlocked(await door(app, kit, { from }), '900')
  })

  test('T23: spellings that no account can have are refused and name no account', async () => {
    const before = await app.rows('throttle_places')
    const refused = [
      'ann\0',
      'a\u200bnn',
      '\u202eann',
      'ann:',
      'a\ud800nn',
      '\u{e0041}ann',
      '\tann',
    ]
    const { hashes, result } = await countHashes(() =>
      Promise.all(
        refused.map((username) => doors.JSON(app, { ...ann, username }, { from: newHost() })),
      ),
    )
    for (const answer of result) assertRefusal(answer, 401, 'Invalid credentials')
    assert.equal(hashes, 0)
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  test('T26: after 5 wrong tries the right password is 429 until 15 minutes have passed', async () => {
    const from = newHost()
    assert.deepEqual(await tryTimes(5, () => guess(app, ann, from)), Array(5).fill(401))
    assertBlocked(await doors.JSON(app, ann, { from }), '900')
    app.clock.advance(899.999)
    assertBlocked(await doors.JSON(app, ann, { from }), '1')
    app.clock.advance(0.001)
    assert.equal((await doors.JSON(app, ann, { from })).status, 200)
  })

  test('the window slides: each try is forgotten 15 minutes after it, and blocked ones count nothing', async () => {
    const from = newHost()
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal((await guess(app, ann, from)).status, 401)
      app.clock.advance(100)
    }
    const used = await placesOf(app, from)
    for (const retryAfter of ['400', '300', '200', '100']) {
      assertBlocked(await guess(app, ann, from), retryAfter)
      app.clock.advance(100)
    }
    assert.deepEqual(await placesOf(app, from), used)
    assert.equal((await guess(app, ann, from)).status, 401)
    assertBlocked(await guess(app, ann, from), '100')
  })

  for (const [name, door] of everyDoor) {
    test(`T26: a success after 4 wrong tries starts the count anew: ${name}`, async () => {
      const from = newHost()
      await tryTimes(4, () => guess(app, ann, from))
      app.clock.advance(60) // no verdict on Basic is remembered any more
      assert.equal((await door(app, ann, { from })).status, 200)
      assert.deepEqual(await placesOf(app, from), [])
    })
  }

  test('a Basic caller whose password is remembered is 429 as well once the tries are used up', async () => {
    const from = newHost()
    assert.equal((await doors.Basic(app, ann, { from })).status, 200)
    await tryTimes(5, () => guess(app, ann, from))
    const before = eventsNamed(app, 'authn_login_fail_max')
    assertBlocked(await doors.Basic(app, ann, { from }), '900')
    assert.equal(eventsNamed(app, 'authn_login_fail_max'), before + 1)
  })

  test('a success of Basic whose password is remembered starts the count anew as well', async () => {
    const from = newHost()
    assert.equal((await doors.Basic(app, ann, { from })).status, 200)
    await tryTimes(4, () => guess(app, ann, from))
    const { hashes, result } = await countHashes(() => doors.Basic(app, ann, { from }))
    assert.deepEqual([result.status, hashes], [200, 0])
    assert.deepEqual(await placesOf(app, from), [])
  })

  test('T26: a success on one account never clears the count of another', async () => {
    const from = newHost()
    await tryTimes(4, () => guess(app, ann, from))
    for (let round = 0; round < 20; round += 1) {
      assert.equal((await doors.JSON(app, ben, { from })).status, 200)
    }
    assert.deepEqual(await tryTimes(2, () => guess(app, ann, from)), [401, 429])
  })

  test('T27: 429 looks the same for known and unknown users, for right and wrong passwords', async () => {
    const from = newHost()
    const nobody = { username: 'nobody', password: 'nobody has a password' }
    for (const who of [ann, nobody]) await tryTimes(5, () => guess(app, who, from))
    for (const [name, door] of everyDoor) {
      const { hashes, result } = await countHashes(async () => [
        await door(app, ann, { from }),
        await door(app, { ...ann, password: 'not the password' }, { from }),
        await door(app, nobody, { from }),
      ])
      assert.equal(hashes, 0, name)
      for (const answer of result) {
        assertBlocked(answer, '900')
        assert.deepEqual(visible(answer), visible(result[0] ?? answer), name)
      }
    }
  })

  test('T32: the tries of one address do not keep the user out at another', async () => {
    const attacker = newHost()
    assert.equal((await tryTimes(6, () => guess(app, ben, attacker))).at(-1), 429)
    assert.equal((await doors.JSON(app, ben, { from: newHost() })).status, 200)
  })

  test('T28: places that no window counts any more are removed', async () => {
    const from = newHost()
    await takePlaces(app, 1500, { username: 'ann', address: from, pending: 0 })
    const purge = app.app.jobs.find(({ name }) => name === 'throttle places')
    app.clock.advance(899.999)
    await purge?.run()
    assert.equal((await placesOf(app, from)).length, 1500)
    app.clock.advance(0.001)
    await purge?.run()
    await purge?.run()
    assert.deepEqual((await app.rows()).throttle_places, [])
  })
})

const untrusted: readonly (readonly [string, (n: number) => string])[] = [
  ['x-forwarded-for', (n) => `203.0.113.${n}`],
  ['forwarded', (n) => `for=203.0.113.${n}`],
  ['x-real-ip', (n) => `203.0.113.${n}`],
  ['cf-connecting-ip', (n) => `203.0.113.${n}`],
  ['true-client-ip', (n) => `203.0.113.${n}`],
  ['x_forwarded_for', (n) => `203.0.113.${n}`],
  ['x-client-ip', (n) => `203.0.113.${n}`],
]

suite('the address that the throttle counts', async () => {
  const app = await testApp(throttleAlone)
  const TRUST_PROXY = '10.0.0.0/8, 2001:db8:ffff::1'
  const proxied = await testApp({ ...throttleAlone, TRUST_PROXY })

  for (const [name, value] of untrusted) {
    test(`T20: ${name} of an untrusted peer changes nothing`, async () => {
      const from = newHost()
      const statuses: number[] = []
      for (let n = 1; n <= 6; n += 1) {
        const headers = { [name]: value(n) }
        const who = { username: 'ann', password: 'not the password' }
        statuses.push((await doors.JSON(app, who, { from, headers })).status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
      assert.equal((await placesOf(app, from)).length, 5)
    })
  }

  test('X-Forwarded-For from an untrusted address causes a warning', async () => {
    await app.call('GET', '/api/public/status', { headers: { 'x-forwarded-for': '203.0.113.1' } })
    assert.ok(app.log.some(({ level, msg }) => level === 'warn' && /forwarded/i.test(String(msg))))
  })

  /** Whose place a wrong try takes. */
  const addressOf = async (from: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const who = { username: 'bob', password: 'not the password' }
    const answer = await doors.JSON(proxied, who, { from, headers })
    assertRefusal(answer, 401, 'Invalid credentials', forwarded?.slice(0, 50))
    const { throttle_places } = await proxied.rows()
    await proxied.deps.db.deleteFrom('throttle_places').execute()
    return throttle_places?.map((row) => (row as { address: string }).address)
  }

  const hops: readonly (readonly [from: string, forwarded: string | undefined, counted: string])[] =
    [
      ['10.0.0.1', undefined, '10.0.0.1'],
      ['10.0.0.1', '203.0.113.7', '203.0.113.7'],
      ['10.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
      ['10.0.0.1', '1.1.1.1, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
      ['::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
      ['2001:db8:ffff::1', '203.0.113.7', '203.0.113.7'],
      ['2001:DB8:FFFF:0::1', '203.0.113.7', '203.0.113.7'],
      ['10.0.0.1', '203.0.113.7:99', '203.0.113.7'],
      ['10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
      ['10.0.0.1', '1.1.1.1,, 203.0.113.7,', '203.0.113.7'],
      ['10.0.0.1', '[2001:db8::7]:443', '2001:db8:0:0::/64'],
      ['10.0.0.1', '127.0.0.1, 203.0.113.7', '203.0.113.7'],
      ['203.0.113.9', '10.0.0.1', '203.0.113.9'],
      ['11.0.0.1', '203.0.113.7', '11.0.0.1'],
      // What the proxy could not name counts as the proxy's own.
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', 'a', '10.0.0.1'],
      ['10.0.0.1', 'unknown', '10.0.0.1'],
      ['10.0.0.1', '_hidden', '10.0.0.1'],
      ['10.0.0.1', '203.0.113.7, unknown', '10.0.0.1'],
      ['10.0.0.1', '999.1.1.1', '10.0.0.1'],
      ['10.0.0.1', '010.0.0.1', '10.0.0.1'],
      ['10.0.0.1', Array(10_000).fill('a').join(','), '10.0.0.1'],
      ['10.0.0.1', `${Array(10_000).fill('1.1.1.1').join(',')}, 203.0.113.7`, '203.0.113.7'],
    ]

  for (const [from, forwarded, counted] of hops) {
    const shown = forwarded === undefined ? 'nothing' : JSON.stringify(forwarded.slice(0, 40))
    test(`T21: with trusted proxies, ${shown} from ${from} counts for ${counted}`, async () => {
      assert.deepEqual(await addressOf(from, forwarded), [counted])
    })
  }

  const sameAddress: Record<string, readonly string[]> = {
    'one IPv6 address': ['2001:db8:1::a', '2001:DB8:1::A', '2001:db8:1:0:0:0:0:a'],
    'an IPv4 address inside IPv6': ['203.0.113.8', '::ffff:203.0.113.8', '::FFFF:cb00:7108'],
    'a scoped address': ['fe80::1', 'fe80::1%eth0', 'FE80::1%2'],
    'a /64': Array.from({ length: 64 }, (_, n) => `2001:db8:2:0:${(n * 1021).toString(16)}::${n}`),
  }

  for (const [name, addresses] of Object.entries(sameAddress)) {
    test(`T22: ${name} is one key in all its spellings`, async () => {
      const who = { username: name }
      const statuses: number[] = []
      for (let n = 0; n < 6; n += 1) {
        const from = addresses[n % addresses.length] ?? ''
        statuses.push((await guess(app, who, from)).status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
      for (const from of addresses) assert.equal((await guess(app, who, from)).status, 429)
    })
  }

  test('T22: two /64 networks are two keys', async () => {
    const who = { username: 'two networks' }
    await tryTimes(6, () => guess(app, who, '2001:db8:3:1::1'))
    assert.equal((await guess(app, who, '2001:db8:3:2::1')).status, 401)
  })
})
