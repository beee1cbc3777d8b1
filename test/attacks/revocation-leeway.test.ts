// A database makes a difference: what another process revoked is read from it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'

const hour = 3600

suite('a revocation on nodes whose clocks differ', async () => {
  const slow = await testApp()
  const fast = await testApp({}, { directory: slow.directory, clock: fixedClock() })

  test('is kept for a day beyond the end of its token, for those whose time is behind', async () => {
    const headers = await slow.bearer(slow.admin)
    const job = fast.app.jobs.find(({ name }) => name === 'revocations')
    assert.ok(job)
    assert.equal((await slow.call('POST', '/logout', { headers })).status, 200)
    const logged = async () => (await slow.rows()).revocations?.length
    assert.equal(await logged(), 1)

    fast.clock.advance(hour + 23 * hour) // there the token ended 23 hours ago
    await job.run()
    assert.equal(await logged(), 1)
    // Here it has an hour to go, and this node knows what the log says alone.
    const fresh = await testApp({}, { directory: slow.directory, clock: slow.clock })
    assert.equal((await fresh.call('GET', '/api/me', { headers })).status, 401)

    fast.clock.advance(hour) // a day
    await job.run()
    assert.equal(await logged(), 0, 'and no longer')
  })
})
