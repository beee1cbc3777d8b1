import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

const someone = { name: 'Someone', email: 'someone@example.org' }
const account = { username: 'new', roles: ['USER'] }
const password = 'quiet melons roll'

interface Rule {
  readonly at: readonly [method: 'GET' | 'POST', path: string]
  readonly query?: string
  readonly json?: object
  /** The field that is refused. */
  readonly field: string
  /** What the OpenAPI document says of the field, its parameter or its body. */
  readonly documented: string
}

const accounts = ['POST', '/api/admin/accounts'] as const
const explain = ['POST', '/api/admin/explain'] as const
const revoke = ['POST', '/api/admin/tokens/revoke'] as const
const reset = ['POST', '/api/public/reset'] as const
const complete = ['POST', '/api/public/reset/complete'] as const

/** Fields that exclude, need or replace each other. */
const rules: readonly Rule[] = [
  {
    at: accounts,
    json: { ...account, password, ...someone, user_id: 1 },
    field: 'user_id',
    documented: 'A user that exists; or else give name and email',
  },
  {
    at: accounts,
    json: { ...account, password },
    field: 'user_id',
    documented: 'A user that exists; or else give name and email',
  },
  {
    at: accounts,
    json: { ...account, ...someone },
    field: 'password',
    documented: 'Required, unless `service` is true',
  },
  ...[{ password }, { must_change: true }, { user_id: 1 }, { email: someone.email }].map(
    (more): Rule => ({
      at: accounts,
      json: { ...account, service: true, ...more },
      field: String(Object.keys(more)[0]),
      documented: 'leave out password, must_change, user_id and email',
    }),
  ),
  {
    at: ['GET', '/api/admin/accounts'],
    query: '?page=1&search=a',
    field: 'page',
    documented: 'Without any parameter but `limit`',
  },
  {
    at: ['GET', '/api/admin/accounts'],
    query: '?last_login=never&last_login_after=2026-01-01T00:00:00Z',
    field: 'last_login',
    documented: 'without `last_login_after` and `last_login_before`',
  },
  {
    at: ['GET', '/api/admin/audit'],
    query: '?cursor=a&after=b',
    field: 'after',
    documented: 'without `cursor`',
  },
  ...[{ token: 'x', jti: 'y', exp: 1 }, { jti: 'y' }, { exp: 1 }, {}].map(
    (json): Rule => ({
      ...{ at: revoke, json, field: 'token' },
      documented: 'Either `token`, or `jti` and `exp`',
    }),
  ),
  ...[{ token: 'x', username: 'ann' }, { route: 'GET /' }, {}].map(
    (json): Rule => ({
      ...{ at: explain, json, field: 'token' },
      documented: '`token`; or `username`, whose login is asked about, or with `route`',
    }),
  ),
  {
    ...{ at: explain, json: { text: 'x', token: 'y' }, field: 'text' },
    documented: 'or `text`',
  },
  ...[{ email: someone.email, username: 'ann' }, {}].map(
    (json): Rule => ({
      ...{ at: reset, json, field: 'email', documented: 'Either `email` or `username`' },
    }),
  ),
  ...[{ token: 'x', id: 'y', code: 'z' }, { id: 'y' }, { code: 'z' }].map(
    (json): Rule => ({
      ...{ at: complete, json: { ...json, new_password: password }, field: 'token' },
      documented: 'Of the link; or else id and code',
    }),
  ),
]

suite('fields that depend on each other', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const { body: document } = await app.call('GET', '/api/openapi.json', { headers })
  const resolve = (part: { $ref?: string }) =>
    part.$ref
      ? part.$ref
          .slice(2)
          .split('/')
          .reduce((at, name) => at[name], document)
      : part

  for (const { at, query = '', json, field, documented } of rules) {
    const [method, path] = at
    test(`${method} ${path}${query} ${JSON.stringify(json ?? '')}: ${field}`, async () => {
      const before = await app.rows()
      const answer = await app.call(method, path + query, { headers, ...(json && { json }) })
      const { details } = answer.body
      assertRefusal(answer, 400, 'Validation failed', '', { details })
      assert.deepEqual(
        details.map((detail: { path: string[] }) => detail.path),
        [[field]],
      )
      assert.deepEqual(await app.rows(), before)
      const operation = document.paths[path][method.toLowerCase()]
      const content = operation.requestBody?.content['application/json']
      const parts = [...(operation.parameters ?? []), content?.schema ?? {}].map(resolve)
      assert.ok(JSON.stringify(parts).includes(documented), documented)
    })
  }
})
