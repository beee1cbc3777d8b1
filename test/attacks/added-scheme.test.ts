import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callerOf } from '../../src/core/http/routes/access.ts'
import type { Authenticator } from '../../src/core/http/routes/declaration.ts'
import type { Module } from '../../src/core/module/module.ts'
import type { Principal, Scheme } from '../../src/core/policy/principal.ts'
import { authenticated } from '../../src/core/policy/rules.ts'
import { modules } from '../../src/modules.ts'
import { type Headers, testApp } from '../app.ts'
import { askForward, proxied } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'

const scheme = 'x-key' satisfies Scheme
const key = 'gth_the_key_of_an_administrator'

const named = { type: 'object', required: ['by'], properties: { by: { type: 'string' } } }

/** A principal with every role of the bootstrap administrator. */
const principal: Principal = {
  subject: '1',
  username: 'admin',
  roles: new Set(['USER', 'EDITOR', 'ADMIN']),
  credential: { scheme },
  amr: ['pwd', 'otp', 'mfa'],
  authTime: Number.POSITIVE_INFINITY,
}

/** A module with a scheme, which is asked before all others, and a route that names the scheme. */
function moduleWith({
  header,
  sent,
}: Pick<Authenticator, 'header'> & { readonly sent: Headers }): Module {
  const [[name, text] = ['', '']] = Object.entries(sent)
  const authenticator: Authenticator = {
    scheme,
    header,
    missing: 'authenticationRequired',
    describes: { type: 'apiKey', in: 'header', name },
    authenticate({ headers }) {
      if (headers[name] !== text) return null
      return { principal, lockNames: () => [], revalidate: async () => principal }
    },
  }
  return {
    name: 'keyed',
    tag: { name: 'Keyed', description: 'A route for programs.' },
    authenticators: async () => (_needs, before) => [authenticator, ...before],
    routes: async () => ({
      async routes(app) {
        const config = { access: { rule: authenticated, schemes: [scheme] as const } }
        const schema = {
          operationId: 'getNamed',
          summary: 'The caller',
          response: { 200: named },
        }
        app.get('/named', { config, schema }, async (request) => ({
          by: callerOf(request).subject,
        }))
      },
    }),
  }
}

for (const [what, header, sent] of [
  ['a header of its own', null, { 'x-key': key }],
  ['the Authorization header', 'bearer', { authorization: `Bearer ${key}` }],
] as const) {
  suite(`an added scheme opens no route that does not name the scheme: by ${what}`, async () => {
    const rules = forwardFile([{ hosts: ['wiki.example.org'], policy: 'one_factor' }])
    const app = await testApp(
      { ...proxied, FORWARD_AUTH_FILE: rules },
      { modules: [...modules, moduleWith({ header, sent })] },
    )
    const closed = app.app.routes().filter((row) => row.rule !== 'anyone' && row.url !== '/named')

    test('the route that names the scheme accepts the scheme', async () => {
      const answer = await app.call('GET', '/named', { headers: sent })
      assert.deepEqual([answer.status, answer.body], [200, { by: '1' }])
    })

    test('every other route that has a rule refuses the scheme, and nothing changes', async () => {
      assert.ok(closed.length > 100)
      const before = await app.rows('refusals')
      for (const { method, url, schemes } of closed) {
        const about = `${method} ${url}`
        assert.ok(!schemes.split(',').includes(scheme), about)
        const path = url.replace(/:\w+/g, '1').replace('*', 'x')
        const ask = (headers: Headers) =>
          app.call(method === '*' ? 'GET' : method, path, { headers })
        const answer = await ask(sent)
        const unknown: Headers = header === null ? {} : { authorization: 'Bearer gth_unknown' }
        assert.equal(answer.status, 401, about)
        assert.equal(answer.text, (await ask(unknown)).text, about)
      }
      assert.deepEqual(await app.rows('refusals'), before)
    })

    test('an unknown path of a group refuses the scheme', async () => {
      for (const path of ['/api/admin/nothing', '/api/admin//', '/api/user/nothing']) {
        const answer = await app.call('GET', path, { headers: sent })
        assert.equal(answer.status, 401, path)
      }
    })

    test('the forward rules refuse the scheme', async () => {
      const answer = await askForward(app, { headers: sent })
      assert.equal(answer.status, 401)
      assert.equal(answer.headers['remote-user'], undefined)
    })
  })
}
