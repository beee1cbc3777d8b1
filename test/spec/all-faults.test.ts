import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'
import { importLines, ndjson } from '../transfer.ts'
import { newWebhook } from '../webhooks.ts'

const email = { path: ['email'], message: 'must be an e-mail address' }
const short = { path: ['password'], message: 'must have at least 12 characters' }
const role = (index = 0) => ({
  path: ['roles', String(index)],
  message: 'must be USER, EDITOR or ADMIN',
})
const username = {
  path: ['username'],
  message:
    'must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
}

/** A body with several faults, and all of them. */
type Row = readonly [
  what: string,
  method: string,
  path: string,
  json: unknown,
  details: readonly object[],
]

suite('a body with several faults: one answer has them all', async () => {
  const app = await testApp({ SIGN_UP: 'open' })
  const headers = await app.bearer(app.admin)
  const { id } = await newWebhook(app, { events: ['user_deleted'] })
  await app.account('ann')
  const bob = { username: 'bob', password: 'short', roles: ['BOSS'], name: 'B', email: 'nomail' }
  const required = (name: string) => ({ path: [name], message: 'is required' })
  const events = { path: ['events', '0'], message: 'chooses no event that there is' }
  const url = { path: ['url'], message: 'must be an https address' }

  const rows: readonly Row[] = [
    ['a new account', 'POST', '/api/admin/accounts', bob, [email, role(), short]],
    [
      'a new account, without a fault of its schema',
      'POST',
      '/api/admin/accounts',
      { ...bob, username: 'a:b', email: 'b@example.org', roles: ['USER', 'BOSS'] },
      [username, role(1), short],
    ],
    [
      'a new account of nobody',
      'POST',
      '/api/admin/accounts',
      { username: 'bob', password: 'quiet bob sleeps', roles: ['BOSS'] },
      [
        role(),
        {
          path: ['user_id'],
          message: 'is required, unless name and email describe a new user',
        },
      ],
    ],
    [
      'a new account that has nothing right',
      'POST',
      '/api/admin/accounts',
      { username: 'a:b', roles: 'USER', password: 5, must_change: 'yes', name: 'B' },
      [
        { path: ['password'], message: 'must be string' },
        { path: ['roles'], message: 'must be array' },
        { path: ['must_change'], message: 'must be boolean' },
        username,
        { path: ['email'], message: 'is required for a new user' },
      ],
    ],
    [
      'a changed account',
      'PUT',
      '/api/admin/accounts/ann',
      { roles: ['BOSS'], password: 'short' },
      [role(), short],
    ],
    [
      'a changed account with a fault of the schema',
      'PUT',
      '/api/admin/accounts/ann',
      { roles: ['BOSS'], password: 'short', locked: 'yes' },
      [{ path: ['locked'], message: 'must be boolean' }, role(), short],
    ],
    [
      'an invitation',
      'POST',
      '/api/admin/invitations',
      { email: 'nomail', roles: ['BOSS'] },
      [email, role()],
    ],
    [
      'an invitation with a fault of the schema',
      'POST',
      '/api/admin/invitations',
      { email: 'nomail', roles: ['BOSS'], name: 5 },
      [{ path: ['name'], message: 'must be string' }, email, role()],
    ],
    [
      'a sign-up',
      'PUT',
      '/api/public/sign-up',
      { token: 'x', username: 'a:b', password: 'short' },
      [required('name'), username, short],
    ],
    [
      'an accepted invitation',
      'POST',
      '/api/public/invitation',
      { token: 'x', username: 'a:b', password: 'short', name: 5 },
      [{ path: ['name'], message: 'must be string' }, username, short],
    ],
    ['a webhook', 'POST', '/api/admin/webhooks', { url: 'x', events: ['nothing'] }, [url, events]],
    [
      'a webhook with a fault of the schema',
      'POST',
      '/api/admin/webhooks',
      { url: 'x', events: ['nothing'], description: 5 },
      [{ path: ['description'], message: 'must be string' }, url, events],
    ],
    [
      'a changed webhook',
      'PUT',
      `/api/admin/webhooks/${id}`,
      { url: 'x', events: ['nothing'] },
      [url, events],
    ],
    [
      'a user, version 1',
      'POST',
      '/users',
      { name: '', email: 'nomail' },
      [{ path: ['name'], message: 'must NOT have fewer than 1 characters' }, email],
    ],
    [
      'a post',
      'POST',
      '/api/posts',
      { title: '', body: 5 },
      [
        { path: ['title'], message: 'must NOT have fewer than 1 characters' },
        { path: ['body'], message: 'must be string' },
      ],
    ],
  ]
  const sorted = (details: readonly object[]) =>
    details.map((detail) => JSON.stringify(detail)).sort()
  for (const [what, method, path, json, details] of rows) {
    test(`${what}: ${details.length} faults`, async () => {
      const before = await app.rows()
      const answer = await app.call(method, path, { headers, json })
      assertRefusal(answer, 400, 'Validation failed', '', { details: answer.body.details })
      assert.deepEqual(sorted(answer.body.details), sorted(details))
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('a user without name or email: the error of version 1 stays', async () => {
    const answer = await app.call('POST', '/users', { headers, json: { email: 'nomail' } })
    assert.deepEqual([answer.status, answer.body.error], [400, 'Name and email required'])
    assert.deepEqual(sorted(answer.body.details), sorted([required('name'), email]))
  })

  test('a line of an import', async () => {
    const before = await app.rows()
    const line = { username: 'a:b', roles: ['BOSS'], name: 'B', email: 'nomail', created_at: 'now' }
    const { status, body } = await importLines(app, headers, ndjson([line]))
    assert.equal(status, 400)
    const fields = body.details.map(({ path }: { path: string[] }) => path.slice(1).join('.'))
    assert.deepEqual(fields.sort(), ['created_at', 'email', 'roles.0', 'username'])
    assert.deepEqual(await app.rows(), before)
  })

  test('a changed account: fields that the route does not have refuse no password', async () => {
    const json = { username: 'lamps', email: 'boat@example.org', password: 'seven lamps in a boat' }
    const answer = await app.call('PUT', '/api/admin/accounts/ann', { headers, json })
    assert.equal(answer.status, 200, answer.text)
  })

  test('who may not is refused before the faults are told', async () => {
    const json = bob
    const ann = await app.bearer(await app.account('plain'))
    const denied = await app.call('POST', '/api/admin/accounts', { headers: ann, json })
    assertRefusal(denied, 403, 'Access denied')
    const unknown = await app.call('PUT', '/api/admin/accounts/nobody', { headers, json })
    assertRefusal(unknown, 404, 'Account not found')
  })
})
