import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { basic, byForm, changes, guardedRoutes, thing } from '../../../../test/guarded-routes.ts'
import { all, any, anyone, authenticated, owner, role, unprivileged } from '../../policy/rules.ts'
import { callerOf } from './access.ts'
import type { RouteDeclaration } from './declaration.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const denied = [403, 'Access denied', 'role_lacking']
const unauthenticated = [401, 'Authentication required', 'no_credential']
const noRoute = [404, 'Route not found']
const by = async (request: FastifyRequest) => ({ by: request.principal?.username ?? null })
const signedIn = { rule: authenticated }

suite('what is checked when a route is registered', () => {
  const named = { ...basic, operations: ['listThings'] }

  test('a scheme names only operations that a route has', async () => {
    const open = { config: { access: signedIn } }
    await assert.rejects(
      guardedRoutes((app) => void app.get('/a', open, by), [byForm, named]),
      {
        message: 'the scheme basic names the operation listThings, which no route has',
      },
    )
    await guardedRoutes(
      (app) => void app.get('/a', { ...open, schema: { operationId: 'listThings' } }, by),
      [byForm, named],
    )
  })

  test('an operation that a scheme names accepts the scheme beside its own', async () => {
    const config = { access: { ...signedIn, schemes: ['bearer'] } } as const
    const ask = await guardedRoutes(
      (app) => {
        app.get('/a', { config, schema: { operationId: 'listThings' } }, by)
        app.get('/b', { config }, by)
      },
      [byForm, named],
    )
    assert.deepEqual(await ask('GET', '/a', { as: 'user' }), [200, { by: 'user1' }])
    assert.deepEqual(await ask('GET', '/b', { as: 'user' }), unauthenticated)
  })

  test('a route without access is a mistake, except the preflight of all paths', async () => {
    await guardedRoutes((app) => void app.options('*', by))
    for (const [method, url] of [
      ['OPTIONS', '/a'],
      ['GET', '*'],
      ['GET', '/a'],
    ] as const) {
      await assert.rejects(
        guardedRoutes((app) => void app.route({ method, url, handler: by })),
        {
          message: `${method} ${url} declares no access`,
        },
      )
    }
  })

  test('the rule of the group is added once, and holds before the rule of the route', async () => {
    const rules: unknown[] = []
    const ask = await guardedRoutes((app) => {
      app.addHook('onRoute', ({ config }) => void rules.push(config?.access?.rule))
      app.get('/api/admin/a', { config: { access: signedIn } }, by)
      app.get('/api/admin/b', { config: { access: { rule: role('ADMIN') } } }, by)
      app.get('/a', { config: { access: signedIn } }, by)
    })
    const admin = role('ADMIN')
    // Fastify adds a HEAD route to each.
    const distinct = [...new Set(rules.map((rule) => JSON.stringify(rule)))]
    const expected = [all(admin, authenticated), admin, authenticated]
    assert.deepEqual(distinct.toSorted(), expected.map((rule) => JSON.stringify(rule)).toSorted())
    for (const path of ['/api/admin/a', '/api/admin/b']) {
      assert.deepEqual((await ask('GET', path, { as: 'user' })).slice(0, 2), denied.slice(0, 2))
      assert.deepEqual(await ask('GET', path, { as: 'admin' }), [200, { by: 'user3' }])
      assert.deepEqual(await ask('GET', path), unauthenticated)
    }
  })
})

suite('the caller', () => {
  test('is authenticated at once or later; a path without a route is 404 for all', async () => {
    const ask = await guardedRoutes((app) => {
      app.get('/a', { config: { access: { rule: role('USER') } } }, by)
    })
    assert.deepEqual(await ask('GET', '/b', { as: 'user' }), [...noRoute, 'unknown_route'])
    for (const later of ['', 'later ']) {
      assert.deepEqual(await ask('GET', '/a', { as: `${later}user` }), [200, { by: 'user1' }])
      assert.deepEqual(await ask('GET', '/a', { as: `${later}admin` }), denied)
      assert.deepEqual(await ask('GET', '/a', { as: `${later}nobody` }), unauthenticated)
    }
  })

  test('is absent where anyone may call, and a handler that needs the caller fails', async () => {
    const ask = await guardedRoutes((app) => {
      app.get('/a', { config: { access: { rule: anyone } } }, by)
      app.get('/b', { config: { access: { rule: anyone } } }, async (request) => callerOf(request))
    })
    assert.deepEqual(await ask('GET', '/a', { as: 'user' }), [200, { by: null }])
    assert.deepEqual(await ask('GET', '/b'), [500, 'this route has no authenticated caller'])
  })

  test('has a recent login, or two factors, where the route asks for them', async () => {
    const ask = await guardedRoutes((app) => {
      for (const reauthentication of ['always', 'mfa', 'conditional'] as const) {
        const config = { access: signedIn, reauthentication }
        app.get(`/${reauthentication}`, { config }, by)
      }
      app.get('/none', { config: { access: signedIn } }, by)
    })
    const tooOld = [401, 'Recent login required', 'login_too_old']
    const oneFactor = [401, 'Second factor required', 'login_without_factor']
    const user = [200, { by: 'user1' }]
    const tired = [200, { by: 'user4' }]
    assert.deepEqual(await ask('GET', '/always', { as: 'tired' }), tooOld)
    assert.deepEqual(await ask('GET', '/always', { as: 'user' }), user)
    assert.deepEqual(await ask('GET', '/mfa', { as: 'user' }), oneFactor)
    assert.deepEqual(await ask('GET', '/mfa', { as: 'tired' }), oneFactor)
    assert.deepEqual(await ask('GET', '/mfa', { as: 'strong' }), [200, { by: 'user5' }])
    assert.deepEqual(await ask('GET', '/mfa', { as: 'strongTired' }), tooOld)
    assert.deepEqual(await ask('GET', '/conditional', { as: 'tired' }), tired)
    assert.deepEqual(await ask('GET', '/none', { as: 'tired' }), tired)
  })

  test('in a form is authenticated after the headers, and by a form alone', async () => {
    const config = {
      access: { rule: role('USER'), schemes: ['basic', 'bearer'] },
      body: 'parameters',
    } satisfies RouteDeclaration
    const ask = await guardedRoutes(
      (app) => void app.post('/a', { config }, changes),
      [basic, byForm],
    )
    const of = (payload: string, headers: Record<string, string> = form, as?: string) =>
      ask('POST', '/a', { headers, payload, ...(as && { as }) })
    assert.deepEqual(await of('caller=user'), [200, { by: 'user1' }])
    assert.deepEqual(await of('caller=admin'), denied)
    assert.deepEqual(await of('caller=nobody'), unauthenticated)
    assert.deepEqual(await of('a=b'), unauthenticated)
    // The headers decide alone.
    assert.deepEqual(await of('caller=user', form, 'admin'), denied)
    assert.deepEqual(await of('caller=admin', form, 'user'), [200, { by: 'user1' }])
    assert.deepEqual(await of('caller=user', form, 'nobody'), unauthenticated)
    const upper = { 'content-type': ' APPLICATION/X-WWW-FORM-URLENCODED ; charset=utf-8' }
    assert.deepEqual(await of('caller=user', upper), [200, { by: 'user1' }])
    // No other body is read without credentials.
    assert.deepEqual(await of('{"caller":"user"}', json), unauthenticated)
    assert.deepEqual(
      await of('caller=user', { ...form, 'content-encoding': 'gzip' }),
      unauthenticated,
    )
    assert.deepEqual(await ask('POST', '/a'), unauthenticated)
    const alone = { ...config, access: { ...signedIn, schemes: ['bearer'] } } as const
    const byFormAlone = await guardedRoutes(
      (app) => void app.post('/a', { config: alone }, changes),
      [byForm],
    )
    const sent = { headers: form, payload: 'caller=user' }
    assert.deepEqual(await byFormAlone('POST', '/a', sent), [200, { by: 'user1' }])
  })

  test('in a form counts only where the route takes parameters', async () => {
    const config = { access: signedIn, body: 'form' } satisfies RouteDeclaration
    const ask = await guardedRoutes(
      (app) => {
        app.post('/a', { config }, changes)
        app.post('/b', { config: { ...config, access: signedIn, body: 'parameters' } }, changes)
      },
      [basic],
    )
    const sent = { headers: form, payload: 'caller=user' }
    assert.deepEqual(await ask('POST', '/a', sent), unauthenticated)
    assert.deepEqual(await ask('POST', '/b', sent), unauthenticated)
    const tooLong = { ...sent, payload: 'a'.repeat(2_000_000) }
    assert.deepEqual(await ask('POST', '/b', tooLong), unauthenticated, 'before the body')
    assert.deepEqual(await ask('POST', '/b', { ...sent, as: 'user' }), [200, { by: 'user1' }])
  })
})

suite('the resource of a route', () => {
  const rules = { open: any(unprivileged, owner), owned: owner, plain: authenticated, all: anyone }

  test('is read for a rule that asks facts, and the rule decides before 404', async () => {
    const ask = await guardedRoutes((app) => {
      for (const [name, rule] of Object.entries(rules)) {
        const config = { access: { rule }, resource: thing }
        app.get(`/${name}/:id`, { config }, async (request) => ({
          ...(await by(request)),
          of: thing.of(request).ownerId,
        }))
      }
    })
    const resourceRule = [403, 'Access denied', 'resource_rule']
    const absent = [404, 'User not found', 'resource_absent']
    for (const id of ['', 'sync-']) {
      const get = (path: string, as?: string) => ask('GET', path, as === undefined ? {} : { as })
      assert.deepEqual(await get(`/owned/${id}1`, 'user'), [200, { by: 'user1', of: '1' }])
      assert.deepEqual(await get(`/owned/${id}2`, 'user'), resourceRule)
      assert.deepEqual(await get(`/owned/${id}3`, 'user'), resourceRule)
      assert.deepEqual(await get(`/owned/${id}1`), unauthenticated)
      assert.deepEqual(await get(`/open/${id}2`), [200, { by: null, of: '2' }])
      assert.deepEqual(await get(`/open/${id}1`), unauthenticated)
      assert.deepEqual(await get(`/open/${id}1`, 'user'), [200, { by: 'user1', of: '1' }])
      assert.deepEqual(await get(`/open/${id}1`, 'other'), resourceRule)
      assert.deepEqual(await get(`/plain/${id}1`, 'other'), [200, { by: 'user2', of: '1' }])
      assert.deepEqual(await get(`/plain/${id}3`, 'other'), absent)
      assert.deepEqual(await get(`/plain/${id}3`), unauthenticated)
      assert.deepEqual(await get(`/all/${id}3`), absent)
      assert.deepEqual(await get(`/all/${id}1`), [200, { by: null, of: '1' }])
    }
  })

  test('is absent for an empty parameter, after the rule of the group alone', async () => {
    const ask = await guardedRoutes((app) => {
      const config = { access: { rule: owner }, resource: thing }
      app.get('/things/:id', { config }, by)
      app.get('/api/admin/things/:id', { config }, by)
      app.get('/api/public/things/:id', { config }, by)
    })
    const empty = [...noRoute, 'empty_parameter']
    assert.deepEqual(await ask('GET', '/things/'), empty)
    assert.deepEqual(await ask('GET', '/api/public/things/'), empty)
    assert.deepEqual(await ask('GET', '/api/admin/things/'), unauthenticated)
    assert.deepEqual(await ask('GET', '/api/admin/things/', { as: 'user' }), denied)
    assert.deepEqual(await ask('GET', '/api/admin/things/', { as: 'admin' }), empty)
    assert.deepEqual(await ask('GET', '/things/1', { as: 'user' }), [200, { by: 'user1' }])
  })
})
