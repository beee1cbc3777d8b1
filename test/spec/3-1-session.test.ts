import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'

suite('spec 3.1: session', async () => {
  const app = await testApp()
  const ann = await app.account('ann')

  test('a login makes a session whose cookie opens /api/protected', async () => {
    const headers = await app.session(ann)
    const answer = await app.call('GET', '/api/protected', { headers })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { message: 'Hello, ann' })
  })

  test('30 minutes without a request end it, to the second', async () => {
    const headers = await app.session(ann)
    app.clock.advance(1799)
    assert.equal((await app.call('GET', '/api/protected', { headers })).status, 200)
    app.clock.advance(1800)
    const answer = await app.call('GET', '/api/protected', { headers })
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.body, { error: 'Authentication required' })
  })
})
