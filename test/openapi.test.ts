import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import { describeService } from '../src/cli/documents.ts'
import { loadConfig } from '../src/core/config/load.ts'
import { mediaTypes } from '../src/core/http/media-types.ts'
import { html } from '../src/core/http/pages/html.ts'
import { named } from '../src/core/http/schemas.ts'
import type { Module } from '../src/core/module/module.ts'
import { settingsOfModules } from '../src/core/module/settings.ts'
import { anyone } from '../src/core/policy/rules.ts'
import { modules as ours } from '../src/modules.ts'
import { gapsOf } from './described.ts'
import { module as notes } from './example-module/module.ts'

async function documentOf(env: Record<string, string> = {}, ...more: readonly Module[]) {
  const modules = [...ours, ...more]
  const { openapi } = await describeService(
    loadConfig(env, await settingsOfModules(modules)),
    modules,
  )
  // biome-ignore lint/suspicious/noExplicitAny: a document as its readers have it
  return JSON.parse(JSON.stringify(openapi)) as any
}

/** A module with one route, `GET /things`. */
function moduleOf(options: RouteShorthandOptions): Module {
  async function routes(app: FastifyInstance) {
    app.get('/things', options, async () => ({}))
  }
  return { name: 'things', routes: async () => ({ routes }) }
}

const things = { name: 'Things', description: 'Of a test' } as const
const access = { rule: anyone }
const Thing = named('Thing', { type: 'object', properties: { id: { type: 'integer' } } }, { id: 1 })
const answers = { 200: { [mediaTypes.json]: Thing } }
const errorPage = () => ({ title: 'Refused', main: html`<h1>Refused</h1>` })

suite('the OpenAPI document', async () => {
  const document = await documentOf()
  const operations = Object.entries<typeof document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<typeof document>(methods).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  )
  const { components } = document
  const operation = (id: string) =>
    operations.find((one) => one.operation.operationId === id)?.operation ?? assert.fail(id)
  const refOf = (id: string, status: string): string =>
    operation(id).responses[status].content[mediaTypes.json].schema.$ref

  test('has an example of each body, parameter and header, which its schema accepts', () => {
    assert.deepEqual(gapsOf(document), [])
  })

  test('so has that of a service with a module from outside', async () => {
    const withNotes = await documentOf({}, notes)
    assert.deepEqual(gapsOf(withNotes), [])
    assert.deepEqual((await new Validator().validate(withNotes)).errors ?? [], [])
    const names: string[] = withNotes.tags.map(({ name }: { name: string }) => name)
    assert.deepEqual(names.slice(-2), ['Notes', 'Service'])
  })

  test('a gap is told: an example that does not fit, and one that is not there', async () => {
    const wrong = named('Wrong', { type: 'object', required: ['id'] }, {})
    const module = moduleOf({
      config: {
        access,
        tag: things,
        answers: { 200: { [mediaTypes.json]: wrong }, 201: { [mediaTypes.json]: {} } },
      },
      schema: { operationId: 'things', summary: 'Things' },
    })
    assert.deepEqual(gapsOf(await documentOf({}, module)), [
      "GET /things: 200 as application/json: data must have required property 'id' in {}",
      'GET /things: 201: no example as application/json',
      "Wrong: data must have required property 'id' in {}",
    ])
  })

  test('names each shape once, and each operation refers to it', () => {
    for (const [id, status, name] of [
      ['getUser', '200', 'User'],
      ['createUserV2', '201', 'User'],
      ['listUsersV2', '200', 'UserPageV2'],
      ['lockPost', '200', 'Post'],
      ['getAccount', '200', 'Account'],
      ['getOwnAccountAsUser', '200', 'OwnAccount'],
      ['getSession', '200', 'CurrentSession'],
      ['refreshToken', '200', 'RefreshedToken'],
      ['getJwks', '200', 'Jwks'],
      ['getCaptcha', '200', 'Captcha'],
      ['getStatistics', '200', 'Statistics'],
    ] as const) {
      assert.equal(refOf(id, status), `#/components/schemas/${name}`, id)
    }
    const list = operation('listPosts').responses[200].content[mediaTypes.json].schema
    assert.deepEqual(list.oneOf, [
      { type: 'array', items: { $ref: '#/components/schemas/Post' } },
      { $ref: '#/components/schemas/PostPage' },
    ])
    const login = operation('logIn').responses[200].content[mediaTypes.json].schema.oneOf
    assert.deepEqual(
      login.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1)),
      ['StartedSession', 'AccessToken', 'TokenPair'],
    )
  })

  test('says what to send in a login, and gives pages and limits as integers', () => {
    const { required, properties } = components.schemas.LoginRequest
    assert.deepEqual(required, ['username', 'password'])
    assert.deepEqual([properties.username.type, properties.password.type], ['string', 'string'])
    assert.deepEqual(properties.mode.enum, ['session', 'token', 'pair'])
    for (const { path, operation } of operations) {
      for (const { name, schema } of operation.parameters ?? []) {
        if (!/^(page|limit)$/.test(name)) continue
        assert.deepEqual([schema.type, schema.minimum], ['integer', 1], path)
      }
    }
  })

  test('asks for X-CSRF-Token wherever a session may change something', () => {
    for (const { method, path, operation } of operations) {
      const bySession = operation.security.some((one: object) => 'session' in one)
      const refs = (operation.parameters ?? []).map(({ $ref = '' }) => $ref)
      const asks = refs.some((ref: string) => /parameters\/X-CSRF-Token/.test(ref))
      assert.equal(asks, bySession && method !== 'get', `${method} ${path}`)
    }
    const [token] = operation('transfer').parameters
    assert.equal(components.parameters[token.$ref.split('/').at(-1)].required, true)
  })

  test('has the fields of the errors that carry more than a text', () => {
    const fields = (name: string) => components.schemas[name].properties
    assert.deepEqual(fields('SecondFactorRequired').second_factor.enum, ['totp', 'passkey'])
    assert.equal(fields('CaptchaRequired').captcha.$ref, '#/components/schemas/Captcha')
    assert.equal(fields('EnrolmentRequired').enrolment_token.type, 'string')
    const answer = operation('logIn').responses[401].$ref.split('/').at(-1)
    const { schema, examples } = components.responses[answer].content[mediaTypes.json]
    assert.deepEqual(
      schema.oneOf.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1)),
      ['Error', 'CaptchaRequired', 'SecondFactorRequired'],
    )
    assert.deepEqual(Object.keys(examples), [
      'invalidCredentials',
      'captchaRequired',
      'secondFactorRequired',
    ])
  })

  test('has an error only where it can happen', () => {
    const statuses = (id: string) => Object.keys(operation(id).responses)
    // No role is asked, nothing changes: the 403 is for a key without the scope.
    assert.deepEqual(statuses('getOwnAccount'), ['200', '401', '403', '404', '429', 'default'])
    assert.deepEqual(statuses('getLiveness'), ['200', 'default'])
    assert.deepEqual(statuses('getGreeting'), ['200', '401', 'default'])
  })

  test('has the general 429 where the general limit is on', async () => {
    const limited = await documentOf({ RATE_LIMIT_MAX: '100' })
    const of = (path: string) => Object.keys(limited.paths[path].get.responses)
    assert.deepEqual(of('/api/public/status'), ['200', '429', 'default'])
    assert.deepEqual(of('/health/live'), ['200', 'default'])
    assert.ok('TooManyRequests' in limited.components.responses)
    const plain = Object.keys(document.paths['/api/public/status'].get.responses)
    assert.deepEqual(plain, ['200', 'default'])
  })

  test('has the errors of a route with pages for people as JSON and as HTML', async () => {
    const module = moduleOf({
      config: { access, tag: things, answers, errors: ['userNotFound'], errorPage },
      schema: { operationId: 'things', summary: 'Things' },
    } as RouteShorthandOptions)
    const made = await documentOf({}, module)
    assert.deepEqual(made.paths['/things'].get.responses[404], {
      $ref: '#/components/responses/UserNotFound_OrPage',
    })
    for (const name of ['UserNotFound_OrPage', 'AnyOperation_OrPage']) {
      assert.deepEqual(Object.keys(made.components.responses[name].content), [
        mediaTypes.json,
        'text/html',
      ])
    }
    assert.deepEqual(gapsOf(made), [])
  })

  for (const [about, options, message] of [
    [
      'without an id',
      { config: { access, tag: things, answers } },
      'GET /things has no operationId',
    ],
    [
      'with the id of another one',
      {
        config: { access, tag: things, answers },
        schema: { operationId: 'logIn', summary: 'Things' },
      },
      'GET /things has the operationId of POST /login: logIn',
    ],
    [
      'without a tag',
      { config: { access, answers }, schema: { operationId: 'things', summary: 'Things' } },
      'GET /things has no tag',
    ],
  ] as const) {
    test(`an operation ${about} is refused`, async () => {
      await assert.rejects(documentOf({}, moduleOf(options)), { message })
    })
  }

  test('two shapes with one name are refused', async () => {
    const other = named('User', { type: 'object' }, {})
    const module = moduleOf({
      config: { access, tag: things, answers: { 200: { [mediaTypes.json]: other } } },
      schema: { operationId: 'things', summary: 'Things' },
    })
    await assert.rejects(documentOf({}, module), {
      message: 'OpenAPI would have two schemas with the name User',
    })
  })
})
