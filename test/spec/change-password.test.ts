import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

suite('the well-known address of password managers', async () => {
  const app = await testApp()

  test('it redirects to the page that changes a password, by 303, for anyone', async () => {
    const answer = await app.call('GET', '/.well-known/change-password')
    assert.deepEqual([answer.status, answer.headers.location], [303, '/account/password'])
    const head = await app.call('HEAD', '/.well-known/change-password')
    assert.deepEqual([head.status, head.headers.location], [303, '/account/password'])
  })

  for (const path of ['resource-that-should-not-exist-whose-status-code-should-not-be-200', 'x']) {
    test(`/.well-known/${path.slice(0, 8)} is not found`, async () => {
      assertRefusal(await app.call('GET', `/.well-known/${path}`), 404, 'Route not found')
    })
  }
})
