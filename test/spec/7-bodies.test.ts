import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'
import { newWebhook } from '../webhooks.ts'

const noObjects = ['[]', 'null', '1', '"x"', 'true', '[{}]']
// Spec 4.1 names no parameters of it: any JSON, or none.
const takesAnything = 'POST /api/transfer'
// Forms of pages, of which what proves that the page is ours is asked first: the field of the session,
// or the flow.
const flowForms = ['/signup', '/invitation', '/reset', '/verify'].map((path) => `POST ${path}`)

const noFlow = [400, 'Sign-in failed'] as const
const signUpOff = [403, 'Sign-up is off'] as const

suite('7: JSON that is no object is 400 with path [] at every route that wants an object', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const session = await app.session(app.admin)
  const other = await app.account('other', ['ADMIN'])
  const post = await app.call('POST', '/api/posts', { headers, json: { title: 'A post' } })
  const ids: Record<string, string | number> = {
    '/api/posts/:id': post.body.id,
    '/api/admin/webhooks/:id': (await newWebhook(app, { events: ['user_deleted'] })).id,
    ':id': other.userId,
    ':username': other.username,
  }
  const pathOf = (url: string) =>
    Object.entries(ids).reduce(
      (path, [name, id]) => path.replace(name, name.replace(/:\w+$/, String(id))),
      url,
    )

  const withoutJson = ['none', 'lines', 'parameters', 'any'] // `any`: logout-bodies.test.ts
  const rows = app.app.routes().filter(({ body }) => !withoutJson.includes(body))
  test('the table has the routes that it should have', () => {
    const names = rows.map(({ method, url }) => `${method} ${url}`)
    for (const name of ['POST /login', 'POST /refresh', 'PUT /api/v2/users/:id']) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(names.length > 25, String(names.length))
  })

  for (const { method, url, csrf } of rows) {
    const isOfSession = csrf === 'field'
    const name = `${method} ${url}`
    test(name, async () => {
      const before = await app.rows()
      for (const body of noObjects) {
        const proof = name === takesAnything || isOfSession ? session : headers
        const typed = { ...proof, 'content-type': 'application/json' }
        const answer = await app.call(method, pathOf(url), { headers: typed, body })
        if (name === takesAnything) {
          assert.equal(answer.status, 200, body)
          continue
        }
        if (isOfSession) {
          assertRefusal(answer, 403, 'CSRF token invalid', `${name} ${body}`)
          continue
        }
        if (flowForms.includes(name)) {
          const [status, error] = name === 'POST /signup' ? signUpOff : noFlow
          assertRefusal(answer, status, error, `${name} ${body}`)
          continue
        }
        if (/^DELETE .*\/totp$/.test(name)) {
          // 404 comes before 400.
          assertRefusal(answer, 404, 'Second factor not found', `${name} ${body}`)
          continue
        }
        const details = [{ path: [], message: 'must be object' }]
        assertRefusal(answer, 400, 'Validation failed', `${name} ${body}`, { details })
        assert.deepEqual(answer.cookies, {})
      }
      assert.deepEqual(await app.rows(), before)
    })
  }
})
