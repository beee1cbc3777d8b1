import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import {
  basic,
  byForm,
  bySession,
  changes,
  ended,
  guardedRoutes,
  revalidations,
  thing,
} from '../../../../test/guarded-routes.ts'
import { anyone, authenticated, owner } from '../../policy/rules.ts'
import { authorize } from './access.ts'
import type { RouteDeclaration } from './declaration.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const signedIn = { rule: authenticated }
const user = [200, { by: 'user1' }]
const by = async (request: FastifyRequest) => ({ by: request.principal?.username ?? null })

suite('hooks of a route', () => {
  const names = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'onSend'] as const

  /** Notes the name of each hook that runs, and whether the caller was known by then. */
  function hooks(ran: string[], isList: boolean): Partial<RouteOptions> {
    const noted = names.map((name) => {
      const hook = async (request: FastifyRequest) => {
        ran.push(`${name} ${request.principal?.username ?? 'none'}`)
      }
      return [name, isList ? [hook, hook] : hook]
    })
    return Object.fromEntries(noted)
  }

  const open = { access: { rule: anyone }, csrf: 'foreignPage', body: 'json' } as const
  const declarations: readonly RouteDeclaration[] = [
    { access: signedIn, body: 'json' },
    { access: signedIn },
    open,
    { access: { ...signedIn, schemes: ['basic', 'bearer'] }, body: 'parameters' },
    { access: { rule: owner }, resource: thing, requestHeaders: ['if-match'], body: 'json' },
  ]

  for (const isList of [false, true]) {
    test(`run behind the guards: ${isList ? 'lists of hooks' : 'single hooks'}`, async () => {
      for (const config of declarations) {
        const ran: string[] = []
        const handler = async (request: FastifyRequest) => {
          if (config.resource) thing.changeBy(request)
          return changes(request)
        }
        const ask = await guardedRoutes(
          (app) => void app.post('/a/:id', { config, ...hooks(ran, isList) }, handler),
          [basic, byForm],
        )
        const isForm = config.body === 'parameters'
        const body = isForm ? { headers: form, payload: 'a=b' } : { headers: json, payload: '{}' }
        const sent = config.body ? body : {}
        const name = config === open ? 'none' : 'user1'
        const answer = await ask('POST', '/a/1', { ...sent, as: 'user' })
        assert.deepEqual(answer, [200, { by: config === open ? null : 'user1' }])
        const expected = names.map((hook) => `${hook} ${name}`)
        assert.deepEqual(ran, isList ? expected.flatMap((one) => [one, one]) : expected)
      }
    })
  }

  test('do not run for a request that the guards refuse', async () => {
    const ran: string[] = []
    const ask = await guardedRoutes((app) => {
      app.get('/a', { config: { access: signedIn }, ...hooks(ran, false) }, by)
    })
    assert.equal((await ask('GET', '/a'))[0], 401)
    assert.deepEqual(ran, ['onSend none'])
  })
})

suite('a change', () => {
  const serve = (config: RouteDeclaration, handler: (request: FastifyRequest) => Promise<object>) =>
    guardedRoutes((app) => {
      app.put('/a/:id', { config }, handler)
      if (!config.body && !config.requestHeaders) app.get('/a/:id', { config }, handler)
    })

  test('must judge its caller again, and a read need not', async () => {
    const ask = await serve({ access: signedIn }, by)
    const message = 'PUT /a/:id succeeded without judging its caller again'
    assert.deepEqual(await ask('PUT', '/a/1', { as: 'user' }), [500, message])
    assert.deepEqual(await ask('GET', '/a/1', { as: 'user' }), user)
  })

  test('by anyone has no caller to judge', async () => {
    const ask = await guardedRoutes((app) => {
      app.put('/a', { config: { access: { rule: anyone }, csrf: 'exempt' } }, by)
    })
    assert.deepEqual(await ask('PUT', '/a'), [200, { by: null }])
  })

  test('must ask its precondition where the route declares If-Match', async () => {
    const config = { access: signedIn, resource: thing, requestHeaders: ['if-match'] } as const
    const [deaf, asking] = await Promise.all([
      serve(config, changes),
      serve(config, async (request) => {
        thing.changeBy(request)
        return changes(request)
      }),
    ])
    const sent = { as: 'user', headers: { 'if-match': '"x"' } }
    const message = '/a/:id succeeded without asking its precondition'
    assert.deepEqual(await deaf('PUT', '/a/1', sent), [500, message])
    assert.deepEqual(await deaf('PUT', '/a/1', { as: 'user' }), user)
    assert.deepEqual(await asking('PUT', '/a/1', sent), user)
  })

  test('judges its caller again after the body, before validation', async () => {
    const schema = { body: { type: 'object', required: ['name'] } }
    const declare = (app: FastifyInstance) => {
      for (const body of ['json', 'optional'] as const) {
        app.put(`/${body}`, { config: { access: signedIn, body }, schema }, changes)
      }
      const line = { type: 'object' }
      app.put('/lines', { config: { access: signedIn, body: 'lines', line } }, changes)
      app.put('/none', { config: { access: signedIn } }, changes)
      const open = { access: { rule: anyone }, csrf: 'exempt', body: 'json' } as const
      app.put('/open', { config: open, schema }, by)
    }
    const ask = await guardedRoutes(declare)
    const put = async (path: string, payload: string) => {
      revalidations.length = 0
      const answer = await ask('PUT', path, { as: 'user', headers: json, payload })
      return [answer[0], revalidations.length]
    }
    for (const path of ['/json', '/optional']) {
      assert.deepEqual(await put(path, '{}'), [400, 1])
      assert.deepEqual(await put(path, '{"name":""}'), [200, 2])
    }
    assert.deepEqual(await put('/lines', '{}'), [200, 1])
    assert.deepEqual(await put('/none', '{}'), [200, 1])
    assert.deepEqual(await put('/open', '{"name":""}'), [200, 0])
    ended.add('user')
    const sent = { as: 'user', headers: json, payload: '{}' }
    const gone = [401, 'Authentication required', 'caller_ended']
    assert.deepEqual(await ask('PUT', '/json', sent), gone)
    assert.deepEqual(await ask('PUT', '/lines', sent), gone)
  })

  test('has no body to wait for if the body is there before the caller is known', async () => {
    const ask = await guardedRoutes((app) => {
      const config = { access: signedIn, body: 'json' } as const
      const onRequest = async (request: FastifyRequest) => {
        request.awaitsBody = false
      }
      app.put('/a', { config, onRequest }, changes)
    })
    assert.deepEqual(await ask('PUT', '/a', { as: 'user', headers: json, payload: '{}' }), user)
    assert.equal(revalidations.length, 1)
  })

  test('with a body in another coding is refused before the body, where a body is read', async () => {
    const ask = await guardedRoutes((app) => {
      for (const body of ['json', 'any', 'none'] as const) {
        const config = { access: { rule: anyone }, csrf: 'foreignPage', body } as const
        app.put(`/${body}`, { config }, by)
      }
      app.put('/own', { config: { access: signedIn, body: 'json' } }, changes)
    })
    const headers = { ...json, 'content-encoding': 'gzip' }
    const sent = { headers, payload: '{}' }
    const unsupported = [415, 'Unsupported media type', 'body_of_other_coding']
    const foreign = { ...sent, headers: { ...headers, 'sec-fetch-site': 'cross-site' } }
    const foreignPage = [403, 'Access denied', 'foreign_page']
    assert.deepEqual(await ask('PUT', '/json', sent), unsupported)
    assert.deepEqual(await ask('PUT', '/json', foreign), foreignPage)
    assert.deepEqual(await ask('PUT', '/own', { ...foreign, as: 'user' }), unsupported)
    assert.deepEqual(await ask('PUT', '/any', sent), [200, { by: null }])
    assert.deepEqual(await ask('PUT', '/none', sent), [200, { by: null }])
    assert.deepEqual(await ask('PUT', '/any', foreign), foreignPage)
  })

  test('from a foreign page is refused after validation, where only own pages may change', async () => {
    const schema = { body: { type: 'object', required: ['name'] } }
    const ask = await guardedRoutes((app) => {
      for (const csrf of ['foreignPage', 'exempt'] as const) {
        const config = { access: { rule: anyone }, csrf, body: 'json' } as const
        app.put(`/${csrf}`, { config, schema }, by)
      }
      app.put('/own', { config: { access: signedIn, body: 'json' } }, changes)
    })
    const headers = { ...json, origin: 'https://evil.example' }
    const sent = (payload: string, as?: string) => ({ headers, payload, ...(as && { as }) })
    assert.equal((await ask('PUT', '/foreignPage', sent('{}')))[0], 400)
    const refused = await ask('PUT', '/foreignPage', sent('{"name":""}'))
    assert.deepEqual(refused, [403, 'Access denied', 'foreign_page'])
    const same = { headers: { ...json, origin: 'https://auth.example' }, payload: '{"name":""}' }
    assert.deepEqual(await ask('PUT', '/foreignPage', same), [200, { by: null }])
    assert.deepEqual(await ask('PUT', '/exempt', sent('{"name":""}')), [200, { by: null }])
    assert.deepEqual(await ask('PUT', '/own', sent('{}', 'user')), user)
  })
})

test('a form for sessions carries the CSRF token in a field, beside its own checks', async () => {
  const config = {
    access: { ...signedIn, schemes: ['session'] },
    csrf: 'field',
    body: 'form',
  } satisfies RouteDeclaration
  const ask = await guardedRoutes((app) => void app.post('/a', { config }, changes), [bySession])
  const post = (payload: string, more = {}) =>
    ask('POST', '/a', { as: 'session', headers: { ...form, ...more }, payload })
  assert.deepEqual(await post('csrf_token=right'), [200, { by: 'user7' }])
  assert.deepEqual(await post('csrf_token=wrong'), [403, 'CSRF token invalid', 'csrf_token_other'])
  assert.deepEqual(await post('a=b'), [403, 'CSRF token invalid', 'csrf_token_absent'])
  const foreign = await post('csrf_token=right', { 'sec-fetch-site': 'same-site' })
  assert.deepEqual(foreign, [403, 'Access denied', 'foreign_page'])
})

suite('the rule about a resource, asked by a handler', () => {
  test('is decided by new facts, which later changes are judged by', async () => {
    const ask = await guardedRoutes((app) => {
      app.put(
        '/a/:id',
        { config: { access: { rule: owner }, resource: thing } },
        async (request) => {
          authorize(request, { ownerId: String(request.headers['x-owner']) })
          return changes(request)
        },
      )
      const open = { access: { rule: anyone }, resource: thing }
      app.get('/open/:id', { config: open }, async (request) => {
        authorize(request, { ownerId: null })
        return { facts: request.resource?.facts }
      })
      app.get('/none', { config: { access: signedIn } }, async (request) => {
        authorize(request, { ownerId: '1' })
        return {}
      })
    })
    const put = (ownerId: string) =>
      ask('PUT', '/a/1', { as: 'user', headers: { 'x-owner': ownerId } })
    assert.deepEqual(await put('1'), user)
    assert.deepEqual(await put('2'), [403, 'Access denied', 'resource_rule'])
    assert.deepEqual(await ask('GET', '/open/1'), [200, { facts: { ownerId: null } }])
    assert.deepEqual(await ask('GET', '/none', { as: 'user' }), [500, '/none has no resource'])
  })
})
