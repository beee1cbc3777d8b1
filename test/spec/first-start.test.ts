import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { buildApp } from '../../src/app.ts'
import { answerOf, testApp } from '../app.ts'

suite('the first start', () => {
  test('until the first administrator is made, all but probes is 503 and counts for nothing', async () => {
    const before = await testApp()
    const { admin, deps } = before
    await deps.db.deleteFrom('accounts').execute()
    await deps.db.deleteFrom('users').execute()
    const { server, makeFirstAdministrator } = await buildApp(deps, { runsJobs: false })
    const call = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      answerOf(await server.inject({ method, url, ...(payload && { payload }) }))
    const login = { username: admin.username, password: admin.password, mode: 'token' }

    assert.equal((await call('GET', '/health/live')).status, 200)
    assert.equal((await call('GET', '/health/ready')).status, 503)
    const rows = await before.rows('refusals')
    for (let sent = 0; sent < 12; sent += 1) {
      const refused = await call('POST', '/login', login)
      assert.deepEqual([refused.status, refused.body], [503, { error: 'Service unavailable' }])
      assert.equal(refused.headers['retry-after'], '1')
      assert.equal(refused.headers['x-content-type-options'], 'nosniff')
    }
    assert.equal((await call('GET', '/api/public/status')).status, 503)
    assert.deepEqual(await before.rows('refusals'), rows)

    assert.ok(await makeFirstAdministrator?.())
    assert.equal((await call('POST', '/login', login)).status, 200)
    assert.equal((await call('GET', '/health/ready')).status, 200)
  })
})
