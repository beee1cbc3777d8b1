import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { anyone, authenticated, owner, role, unprivileged } from '../../policy/rules.ts'
import { resource } from '../changes/resource.ts'
import { type Authenticator, mistakesIn, type RouteDeclaration } from './declaration.ts'

const authenticate = async () => null
const authenticators: readonly Authenticator[] = [
  {
    scheme: 'session',
    header: null,
    missing: 'authenticationRequired',
    describes: { type: 'apiKey', in: 'cookie', name: 'session' },
    authenticate,
  },
]
const thing = resource<{ id: number }>({
  param: 'id',
  missing: 'userNotFound',
  load: async () => null,
})
const owned = resource<{ id: number }>({ ...thing, facts: () => ({ ownerId: null }) })
const access = { rule: authenticated }
const body = { type: 'object' }

interface Row {
  readonly config?: RouteDeclaration
  readonly method?: string
  readonly url?: string
  readonly body?: object
}

/** Each breaks one thing alone. */
const mistaken: Record<string, Row> = {
  'declares no access': {},
  'accepts a scheme that nothing authenticates': {
    config: { access: { ...access, schemes: ['basic'] } },
  },
  'accepts no scheme': { config: { access: { ...access, schemes: [] } } },
  'is open to anyone, and names schemes': {
    config: { access: { rule: anyone, schemes: ['session'] } },
  },
  'is open to anyone, and silent in its 401': {
    config: { access: { rule: anyone, silent: true } },
  },
  'is open to callers who have not logged in, and asks for a recent login': {
    config: { access: { rule: anyone }, reauthentication: 'always' },
  },
  'is open to anyone, and to an enrolment token': {
    config: { access: { rule: anyone }, enrols: true },
  },
  'changes nothing, and declares a CSRF guard': {
    config: { access: { rule: anyone }, csrf: 'exempt' },
  },
  'has callers whose credentials say what their CSRF guard is': {
    method: 'POST',
    config: { access, csrf: 'exempt' },
  },
  'can be called by anyone, and declares no CSRF guard': {
    method: 'POST',
    config: { access: { rule: anyone } },
  },
  'changes something, and is exempt from the rate limit': {
    method: 'POST',
    config: { access, rateLimit: 'exempt' },
  },
  'changes nothing, and reads a body': { config: { access, body: 'json' } },
  'limits a body that it does not read': { method: 'PUT', config: { access, maxBodyBytes: 1 } },
  'describes a body that it does not read': { method: 'PUT', config: { access }, body },
  'requires fields of no body': {
    method: 'PUT',
    config: { access, body: 'json', required: { fields: ['name'], error: 'nameAndEmailRequired' } },
  },
  'reads lines without saying of what': { method: 'POST', config: { access, body: 'lines' } },
  'has a rule about a resource that it does not load': {
    url: '/things/:id',
    config: { access: { rule: owner }, resource: thing },
  },
  'has no path to its resource': { url: '/things/:ids', config: { access, resource: thing } },
  'has nothing that If-Match compares': {
    method: 'PUT',
    config: { access, requestHeaders: ['if-match'] },
  },
  'repeats what is no POST': {
    method: 'PUT',
    config: { access, requestHeaders: ['idempotency-key'] },
  },
  'lists an error that its declaration implies': {
    url: '/things/:id',
    config: { access, resource: thing, errors: ['userNotFound'] },
  },
}

const right: Record<string, Row> = {
  'a look': { config: { access: { rule: anyone } } },
  'a look at what is owned': {
    url: '/things/:id',
    config: { access: { rule: owner }, resource: owned },
  },
  'a change of it': {
    method: 'PUT',
    url: '/things/:id',
    config: {
      access: { rule: owner },
      resource: owned,
      requestHeaders: ['if-match'],
      body: 'json',
    },
    body,
  },
  'a login': {
    method: 'POST',
    config: { access: { rule: anyone }, csrf: 'foreignPage', body: 'form' },
    body,
  },
  'a change that proves a caller anew': {
    method: 'POST',
    config: {
      access: { rule: role('ADMIN'), schemes: ['session'] },
      reauthentication: 'always',
      enrols: true,
      requestHeaders: ['idempotency-key'],
    },
  },
  'a probe': { config: { access: { rule: anyone }, rateLimit: 'exempt' } },
}

suite('a declaration is whole, and contradicts itself in nothing', () => {
  const mistakesOf = ({ config, method = 'GET', url = '/things', body: schema }: Row) =>
    mistakesIn(
      {
        method: method as 'GET',
        url,
        ...(config && { config }),
        schema: schema ? { body: schema } : {},
      },
      authenticators,
    )

  for (const [mistake, row] of Object.entries(mistaken)) {
    test(`a route that ${mistake}`, () => assert.deepEqual(mistakesOf(row), [mistake]))
  }

  for (const [name, row] of Object.entries(right)) {
    test(`${name} has no mistake`, () => assert.deepEqual(mistakesOf(row), []))
  }

  test('a rule that asks for a caller with some things alone is no open one', () => {
    const config: RouteDeclaration = { access: { rule: unprivileged }, resource: owned }
    assert.deepEqual(mistakesOf({ method: 'PUT', url: '/things/:id', config }), [])
    assert.deepEqual(
      mistakesOf({ method: 'PUT', url: '/things/:id', config: { ...config, csrf: 'exempt' } }),
      ['has callers whose credentials say what their CSRF guard is'],
    )
    assert.deepEqual(
      mistakesOf({
        method: 'PUT',
        url: '/things/:id',
        config: { ...config, reauthentication: 'always' },
      }),
      ['is open to callers who have not logged in, and asks for a recent login'],
    )
  })

  test('what anyone may call by any method and changes nothing need not be counted', () => {
    const config = { access: { rule: anyone }, csrf: 'exempt', rateLimit: 'exempt' } as const
    assert.deepEqual(mistakesOf({ method: 'POST', config }), [])
    const counted = ['changes something, and is exempt from the rate limit']
    assert.deepEqual(mistakesOf({ method: 'POST', config: { ...config, body: 'json' } }), counted)
    const guarded = { ...config, csrf: 'foreignPage' } as const
    assert.deepEqual(mistakesOf({ method: 'POST', config: guarded }), counted)
  })

  test('a scheme names no route that is open, for clients or a form', () => {
    const named = [{ ...authenticators[0], operations: ['make'] } as Authenticator]
    const mistakes = (config: RouteDeclaration) =>
      mistakesIn({ method: 'GET', url: '/things', config, schema: { operationId: 'make' } }, named)
    assert.deepEqual(mistakes({ access: { rule: role('ADMIN') } }), [])
    assert.deepEqual(mistakes({ access: { rule: anyone } }), [
      'is named by a scheme, and is open to anyone, for clients or for a form',
    ])
  })

  test('every mistake is told', () => {
    const route: Pick<RouteOptions, 'method' | 'url'> = { method: ['GET', 'POST'], url: '/things' }
    const config: RouteDeclaration = {
      access: { rule: anyone, silent: true },
      body: 'none',
      enrols: true,
    }
    assert.equal(mistakesIn({ ...route, config, schema: {} }, authenticators).length, 3)
  })
})
