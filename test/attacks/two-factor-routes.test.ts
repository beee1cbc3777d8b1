import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { authenticated } from '../../src/core/policy/rules.ts'
import { addedRoutes } from '../added-routes.ts'
import { type Headers, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { assertRefusal } from '../refusal.ts'

/** `reauthentication: 'mfa'`: a recent login with two factors, whatever the account has. */
suite('attacks on a route that asks for two factors', async () => {
  const app = await testApp()
  const call = await addedRoutes(app, { '/two': authenticated }, { reauthentication: 'mfa' })
  const asked = (headers: Headers) => call('/two', headers)

  test('a login by password alone is refused, in each scheme', async () => {
    const ann = await app.account('ann')
    const all = [app.basic(ann), await app.bearer(ann), await app.session(ann)]
    const before = await app.rows()
    for (const headers of all) assertRefusal(await asked(headers), 401, 'Second factor required')
    assert.deepEqual(await app.rows(), before)
  })

  test('a login with both factors is let in, as long as it is recent', async () => {
    const { who, device } = await enrolled(app, 'bob')
    const json = { username: 'bob', password: who.password, totp: device.code(), mode: 'token' }
    const { body } = await app.call('POST', '/login', { json })
    const headers = { authorization: `Bearer ${body.token}` }
    const answer = await asked(headers)
    assert.deepEqual([answer.status, answer.body.amr], [200, ['pwd', 'otp', 'mfa']])
    app.clock.advance(900.001)
    assertRefusal(await asked(headers), 401, 'Recent login required')
  })

  test('no credential is asked to authenticate first', async () => {
    assertRefusal(await asked({}), 401, 'Authentication required')
  })
})
