import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ConfigError } from '../../src/core/config/load.ts'
import { type TestApp, testApp } from '../app.ts'

const from = '203.0.113.77'

/** Requests of a person, and of nobody whom the service knows. */
async function used(app: TestApp) {
  const ann = await app.account('ann')
  const login = (json: object) => app.call('POST', '/login', { json, from })
  const { body } = await login({ username: 'ann', password: ann.password, mode: 'pair' })
  const { token, access_token, refresh_token } = body
  const headers = { authorization: `Bearer ${access_token ?? token}` }
  await login({ username: 'ann', password: 'wrong' })
  await app.call('POST', '/refresh', { form: { refresh_token }, from })
  await app.call('GET', '/api/admin/accounts', { headers, from }) // 403
  await app.call('POST', '/logout', { headers, from })
  await app.call('GET', '/api/me', { headers, from }) // an ended token
  await login({ username: 'nobody at all', password: 'wrong' })
  return app.log.filter(({ request_id }) => request_id !== undefined)
}

type Line = Record<string, unknown>
const namesAnn = ({ by, user_id }: Line) => by !== undefined || typeof user_id === 'number'

suite('network addresses in the log', () => {
  test('with LOG_ADDRESSES=off a line that names a person has none, and another keeps its own', async () => {
    const app = await testApp({ LOG_ADDRESSES: 'off', LOG_LEVEL: 'debug' })
    const lines = await used(app)
    const [ofAnn, ofNobody] = [lines.filter(namesAnn), lines.filter((line) => !namesAnn(line))]
    const names = new Set(ofAnn.map(({ event }) => event))
    for (const name of [
      'authn_login_success',
      'authn_login_fail',
      'authn_token_created',
      'authz_fail',
      'authn_token_revoked',
    ]) {
      assert.ok(names.has(name), name)
    }
    for (const line of ofAnn) assert.doesNotMatch(JSON.stringify(line), /203\.0\.113/)
    const [unknown] = ofNobody.filter(({ event }) => event === 'authn_login_fail')
    assert.equal(unknown?.address, from)
  })

  test('the setting is on unless it is set, and then each line has the address', async () => {
    const app = await testApp()
    const events = (await used(app)).filter(({ event }) => event !== undefined)
    const own = events.filter(namesAnn).filter(({ by }) => by !== '1') // not of the administrator
    assert.ok(own.length >= 5)
    for (const line of own) assert.equal(line.address, from, JSON.stringify(line))
  })

  test('an administrator who clears an address is a person beside an address too', async () => {
    for (const [LOG_ADDRESSES, isLogged] of [
      ['off', false],
      ['on', true],
    ] as const) {
      const app = await testApp({ LOG_ADDRESSES })
      const headers = await app.bearer(app.admin)
      await app.call('DELETE', `/api/admin/throttle/addresses/${from}`, { headers, from })
      const line = app.log.find(({ what }) => what === 'throttle_address_cleared')
      assert.equal(line?.by, String(app.admin.userId))
      assert.equal('network' in line, isLogged)
      assert.equal(JSON.stringify(line).includes(from), isLogged)
    }
  })

  test('the audit log keeps the address, sealed under the key of the person', async () => {
    const app = await testApp({ LOG_ADDRESSES: 'off' })
    await used(app)
    const headers = await app.bearer(app.admin)
    const path = '/api/admin/audit?type=authn_login_success&limit=100'
    const { body } = await app.call('GET', path, { headers })
    const addresses = body.data.map(({ address }: Line) => address)
    assert.ok(addresses.includes(from), JSON.stringify(body.data))
  })

  test('takes on and off alone', async () => {
    for (const LOG_ADDRESSES of ['no', 'OFF', 'true', 'on off']) {
      await assert.rejects(testApp({ LOG_ADDRESSES }), (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, /^.*LOG_ADDRESSES must be one of on, off/m)
        return true
      })
    }
  })
})
