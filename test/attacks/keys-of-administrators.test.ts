// A database makes a difference: the last administrator is counted in the transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { serviceAccount } from '../api-keys.ts'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

suite('a key of an account with the role ADMIN', async () => {
  const app = await testApp({ APP_PASSWORDS: 'on' })
  const admin = { headers: app.basic(app.admin) }
  const { headers, who } = await serviceAccount(app, 'robot', ['users:*', 'accounts:*'], ['ADMIN'])

  test('neither deletes nor changes the user of an administrator', async () => {
    const other = await app.account('other', ['USER', 'ADMIN'])
    const before = await app.rows()
    for (const prefix of ['', '/api/v1', '/api/v2']) {
      for (const { userId } of [app.admin, other]) {
        const path = `${prefix}/users/${userId}`
        const json = { email: 'thief@example.org' }
        assertRefusal(await app.call('PUT', path, { headers, json }), 403, 'Access denied')
        assertRefusal(await app.call('DELETE', path, { headers }), 403, 'Access denied')
      }
    }
    assert.deepEqual(await app.rows(), before)
    assert.equal((await app.call('DELETE', `/users/${other.userId}`, admin)).status, 200)
  })

  test('changes and deletes the user of anyone else', async () => {
    const { userId } = await app.account('person')
    const path = `/users/${userId}`
    const json = { email: 'next@example.org' }
    assert.equal((await app.call('PUT', path, { headers, json })).status, 200)
    assert.equal((await app.call('DELETE', path, { headers })).status, 200)
  })

  test('a service account is not the last administrator', async () => {
    const last = await app.call('DELETE', `/users/${app.admin.userId}`, admin)
    assertRefusal(last, 409, 'Last administrator')
    assert.equal((await app.call('DELETE', `/users/${who.userId}`, admin)).status, 200)
  })

  test('an app password opens no route of administration', async () => {
    const eve = await app.account('eve', ['USER', 'ADMIN'])
    const json = { name: 'n', scopes: ['posts:*'], current_password: eve.password }
    const made = await app.call('POST', '/api/account/keys', { headers: app.basic(eve), json })
    const byApp = { headers: app.basic({ ...eve, password: made.body.key }) }
    const post = { title: 'A title', body: 'A text' }
    const { body, status } = await app.call('POST', '/api/posts', { ...byApp, json: post })
    assert.equal(status, 201)
    for (const method of ['PUT', 'DELETE']) {
      const path = `/api/admin/posts/${body.id}/lock`
      assertRefusal(await app.call(method, path, { ...byApp, json: {} }), 403, 'Access denied')
    }
  })
})
