// A database makes a difference: what a process knows of the changes of another one.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { linkedWorkers } from '../linked-workers.ts'
import { setUp, waitingFor } from '../webhook-sending.ts'

suite('the endpoints of webhooks that another worker has changed', () => {
  test('count before the answer: the next event of each worker is kept, or is not', async () => {
    const [first, second] = linkedWorkers(2)
    assert.ok(first && second)
    const app = await testApp({}, { deps: { workers: first } })
    const { clock, directory } = app
    const other = await testApp({}, { deps: { workers: second }, directory, clock })
    const change = async (method: string, path: string, json?: object) => {
      const headers = app.basic(app.admin)
      const answer = await app.call(method, path, { headers, ...(json && { json }) })
      assert.equal(answer.status, 200, answer.text)
    }
    const make = async (name: string) => {
      const json = { name, email: `${name}@example.org` }
      const headers = other.basic(other.admin)
      const made = await other.call('POST', '/users', { headers, json })
      assert.equal(made.status, 201, made.text)
    }
    const { id } = await setUp(app, 'https://hooks.example.org/', ['user_created'])
    await make('ann')
    assert.equal(await waitingFor(other, 'user_created'), 1)
    await change('PUT', `/api/admin/webhooks/${id}`, { events: ['user_deleted'] })
    await make('bob')
    assert.equal(await waitingFor(other, 'user_created'), 1)
    await change('PUT', `/api/admin/webhooks/${id}`, { events: ['user_*'] })
    await make('cid')
    assert.equal(await waitingFor(other, 'user_created'), 2)
    await change('DELETE', `/api/admin/webhooks/${id}`)
    await make('dan')
    assert.equal(await waitingFor(other, 'user_created'), 2)
  })
})
