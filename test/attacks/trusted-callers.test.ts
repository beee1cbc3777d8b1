import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseAddressRange } from '../../src/core/addresses/address-ranges.ts'
import { testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { assertBlocked, doors, everyDoor, newHost, placesOf } from '../logins.ts'
import { ask } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const backend = '192.0.2.10'
const env = {
  LOGIN_TRUSTED_NETWORKS: `${backend}, 2001:db8:b::/48`,
  TRUST_PROXY: '10.0.0.0/8',
  LOGIN_LOCK_AFTER: '0',
  LOGIN_IP_ATTEMPTS: '3',
}
const wrong = { username: 'bob', password: 'not the password' }

suite('LOGIN_TRUSTED_NETWORKS', async () => {
  const app = await testApp(env)
  const ann = await app.account('ann')
  const forwarded = (value: string | string[], from = backend) => ({
    from,
    headers: { 'x-forwarded-for': value },
  })

  /** For whom a failed attempt counts. */
  async function countedFor(value: string | string[] | undefined, from = backend) {
    const call = value === undefined ? { from } : forwarded(value, from)
    const authorization = `Basic ${Buffer.from('bob:not the password').toString('base64')}`
    const headers = { ...('headers' in call && call.headers), authorization }
    assert.equal((await app.call('GET', '/users', { ...call, headers })).status, 401)
    const { throttle_places = [] } = await app.rows()
    await app.deps.db.deleteFrom('throttle_places').execute()
    return [...new Set(throttle_places.map((row) => (row as { address: string }).address))]
  }

  const long = Array(3000).fill('1.1.1.1').join(', ')
  const cases: readonly (readonly [
    value: string | string[] | undefined,
    counted: string,
    from?: string,
  ])[] = [
    ['203.0.113.7', '203.0.113.7'],
    ['1.1.1.1, 203.0.113.7', '203.0.113.7'],
    [`${long}, 203.0.113.7`, '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::7]:443', '2001:db8:0:0::/64'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '203.0.113.7', '::ffff:192.0.2.10'],
    ['203.0.113.7', '203.0.113.7', '2001:db8:b:9::1'],
    [`1.1.1.1, ${backend}`, backend],
    // None, or no address: the normal limits, for the caller.
    [undefined, backend],
    ['', backend],
    [' ', backend],
    [',', backend],
    ['203.0.113.7,', backend],
    ['203.0.113.7, ', backend],
    ['203.0.113.7, unknown', backend],
    ['203.0.113.7, _hidden', backend],
    ['203.0.113.7, 999.1.1.1', backend],
    ['203.0.113.7 8.8.8.8', backend],
    ['for=203.0.113.7', backend],
    // Through a proxy of ours, which appends the caller: what stands before is what the caller
    // wrote.
    [`203.0.113.7, ${backend}`, '203.0.113.7', '10.0.0.1'],
    [`1.1.1.1, 203.0.113.7, ${backend}, 10.0.0.2`, '203.0.113.7', '10.0.0.1'],
    [`203.0.113.7,, ${backend},`, backend, '10.0.0.1'],
    [backend, backend, '10.0.0.1'],
    // From others it is what it was.
    ['203.0.113.7', '192.0.2.11', '192.0.2.11'],
    [`203.0.113.7, ${backend}`, '192.0.2.11', '192.0.2.11'],
    ['203.0.113.7', '2001:db8:c:0::/64', '2001:db8:c::1'],
    ['203.0.113.7', '203.0.113.7', '10.0.0.1'],
  ]
  for (const [value, counted, from] of cases) {
    test(`${JSON.stringify(value)?.slice(0, 60)} from ${from ?? 'the backend'} counts for ${counted}`, async () =>
      assert.deepEqual(await countedFor(value, from), [counted]))
  }

  test('of several header lines the last element of the last one counts', async () => {
    const local = await testApp({ ...env, LOGIN_TRUSTED_NETWORKS: '127.0.0.1' })
    const { port } = await local.listen()
    const body = JSON.stringify(wrong)
    const answer = await ask(
      port,
      'POST /login HTTP/1.1\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2, 203.0.113.9',
      { 'content-type': 'application/json', 'content-length': String(body.length) },
      body,
    )
    assert.equal(answer.status, 401)
    assert.equal((await placesOf(local, '203.0.113.9')).length, 1)
    assert.equal((await placesOf(local, '1.1.1.1')).length, 0)
    await local.close()
  })

  test('clients of a backend are limited each for itself, by every way to log in', async () => {
    for (const [name, door] of everyDoor) {
      const [client, other] = [newHost(), newHost()]
      for (let tries = 0; tries < 3; tries += 1) {
        assert.equal((await door(app, wrong, forwarded(client))).status, 401, name)
      }
      assertBlocked(await door(app, ann, forwarded(client)), '3600')
      assert.equal((await door(app, ann, forwarded(other))).status, 200, name)
      assert.equal((await door(app, ann, { from: backend })).status, 200, name)
    }
    assert.deepEqual(await placesOf(app, backend), [])
  })

  test('a client is the same one by the backend and by itself', async () => {
    const client = newHost()
    for (const call of [forwarded(client), { from: client }, forwarded(client)]) {
      assert.equal((await doors.JSON(app, wrong, call)).status, 401)
    }
    assertBlocked(await doors.JSON(app, ann, { from: client }), '3600')
  })

  test('without the header the limits of the backend hold', async () => {
    const from = '2001:db8:b:1::1'
    for (let tries = 0; tries < 3; tries += 1) await doors.JSON(app, wrong, { from })
    assertBlocked(await doors.JSON(app, ann, { from }), '3600')
    assert.equal((await doors.JSON(app, ann, forwarded(newHost(), from))).status, 200)
  })

  test('the current password at PUT /password counts for the client as well', async () => {
    const client = newHost()
    const json = { current_password: 'not the password', new_password: 'a garden of forking paths' }
    const headers = { ...(await app.bearer(ann)), 'x-forwarded-for': client }
    const answer = await app.call('PUT', '/api/account/password', { headers, json, from: backend })
    assertRefusal(answer, 401, 'Invalid credentials')
    assert.equal((await placesOf(app, client)).length, 1)
  })

  test('its header is no forgery to warn of', () => {
    const warnings = app.log.filter(({ msg }) => /X-Forwarded-For/.test(String(msg)))
    // Only the others, once.
    assert.deepEqual(
      warnings.map(({ peer }) => peer),
      ['192.0.2.11'],
    )
  })
})

suite('LOGIN_TRUSTED_NETWORKS and TRUST_PROXY', () => {
  const mistakes = (callers: string, proxies?: string) => {
    try {
      const set = { LOGIN_TRUSTED_NETWORKS: callers, ...(proxies && { TRUST_PROXY: proxies }) }
      return loadConfig(set) && []
    } catch (error) {
      return (error as { mistakes: string[] }).mistakes
    }
  }

  for (const [callers, proxies] of [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1', '198.51.100.1, 192.0.2.0/24'],
    ['192.0.2.0/24', '192.0.2.77'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1', '::ffff:192.0.2.0/120'],
    ['2001:DB8::0:1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8:1::/48'],
    ['198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ] as const) {
    test(`${callers} and ${proxies} have an address in common: refused`, () => {
      const [mistake, ...more] = mistakes(callers, proxies)
      assert.match(mistake ?? '', /^LOGIN_TRUSTED_NETWORKS must not hold what TRUST_PROXY holds: /)
      assert.deepEqual(more, [])
    })
  }

  test('others are taken, with ranges, and none is the default', () => {
    assert.deepEqual(mistakes('192.0.2.1, 2001:db8::/32', '192.0.2.2, 2001:db9::/32'), [])
    assert.deepEqual(mistakes('192.0.2.1'), [])
    assert.deepEqual(mistakes('none', '192.0.2.1'), [])
    assert.deepEqual(loadConfig({}).login.trustedNetworks, [])
  })

  for (const text of [
    '*',
    'true',
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    'none,10.0.0.1',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '[::1]',
    '1.2.3.4:80',
    'fe80::1%eth0',
    '',
  ]) {
    test(`${JSON.stringify(text)} is no address`, () => {
      assert.throws(() => parseAddressRange(text), /not an address or a CIDR range/)
      if (text === '') return
      const [mistake] = mistakes(text)
      assert.match(mistake ?? '', /^LOGIN_TRUSTED_NETWORKS holds /)
    })
  }
})
