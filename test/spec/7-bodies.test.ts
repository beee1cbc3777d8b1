import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { exampleSettings, newCaller, pathOf, shownRoutes, worldOf } from '../examples.ts'
import { assertRefusal } from '../refusal.ts'

const noObjects = ['[]', 'null', '1', '"x"', 'true', '[{}]']
// Spec 4.1 names no parameters of it: any JSON, or none.
const takesAnything = 'POST /api/transfer'
// Forms of pages, of which what proves that the page is ours is asked first: the field of the session,
// or the flow.
const flowForms = ['/signup', '/invitation', '/reset', '/verify'].map((path) => `POST ${path}`)

suite('7: JSON that is no object is 400 with path [] at every route that wants an object', async () => {
  const app = await testApp(await exampleSettings())
  const headers = await app.bearer(app.admin)
  const session = await app.session(app.admin)
  const world = await worldOf(app)
  const caller = await newCaller(world, 'bearer')
  const withoutJson = ['none', 'lines', 'parameters', 'any'] // `any`: logout-bodies.test.ts
  const rows = shownRoutes(app).filter(({ body }) => !withoutJson.includes(body))
  test('the table has the routes that it should have', () => {
    const names = rows.map(({ method, url }) => `${method} ${url}`)
    for (const name of ['POST /login', 'POST /refresh', 'PUT /api/v2/users/:id']) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(names.length > 25, String(names.length))
  })

  for (const route of rows) {
    const { name, method } = route
    const isOfSession = route.csrf === 'field'
    test(name, async () => {
      const path = await pathOf(world, route, caller)
      const before = await app.rows()
      for (const body of noObjects) {
        const proof = name === takesAnything || isOfSession ? session : headers
        const typed = { ...proof, 'content-type': 'application/json' }
        const answer = await app.call(method, path, { headers: typed, body })
        if (name === takesAnything) {
          assert.equal(answer.status, 200, body)
          continue
        }
        if (isOfSession) {
          assertRefusal(answer, 403, 'CSRF token invalid', `${name} ${body}`)
          continue
        }
        if (flowForms.includes(name)) {
          assertRefusal(answer, 400, 'Sign-in failed', `${name} ${body}`)
          continue
        }
        if (/^DELETE .*\/totp$/.test(name)) {
          // 404 comes before 400.
          assertRefusal(answer, 404, 'Second factor not found', `${name} ${body}`)
          continue
        }
        if (/account\/passkeys\/:id$/.test(name)) {
          // So it does for a passkey of another account.
          assertRefusal(answer, 404, 'Passkey not found', `${name} ${body}`)
          continue
        }
        if (name === 'POST /oauth/register') {
          assertRefusal(answer, 400, 'invalid_client_metadata', body) // RFC 7591 section 3.2.2
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
