// A database makes a difference: what a process keeps of a session that another process serves.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { runJob } from '../webhook-sending.ts'

suite('a session that is used at one node only', () => {
  test('ends as idle at no node before its time, also over a flush, and then at all', async () => {
    const env = { SESSION_IDLE_SECONDS: '3' }
    const app = await testApp(env)
    const { clock, directory } = app
    const other = await testApp(env, { clock, directory, seed: 2 })
    const headers = await app.session(app.admin)
    const statusAt = async (at: TestApp) =>
      (await at.call('GET', '/api/session', { headers })).status
    assert.equal(await statusAt(other), 200)
    await runJob(other, 'session activity')
    for (let step = 1; step <= 20; step += 1) {
      clock.advance(0.25)
      assert.equal(await statusAt(app), 200)
      if (step % 4 === 0) await runJob(app, 'session activity')
    }
    clock.advance(2.999)
    assert.equal(await statusAt(other), 200)
    await runJob(other, 'session activity')
    clock.advance(2.999)
    assert.equal(await statusAt(app), 200)
    await runJob(app, 'session activity')
    clock.advance(3)
    assert.deepEqual([await statusAt(app), await statusAt(other)], [401, 401])
  })
})
