import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { DatabaseUnavailable } from '../../src/core/database/errors.ts'
import { openApiOf } from '../../src/core/http/documents/openapi.ts'
import { readDoc } from '../../tools/docs.ts'
import { type Answer, type Call, type Headers, type TestApp, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { connectTo } from '../database.ts'
import { exampleSettings, newCaller, pathOf, shownRoutes, worldOf } from '../examples.ts'
import { forwarded } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { type ApiDocument, documentedBy, type Operation } from '../openapi/operations.ts'
import { assertRefusal } from '../refusal.ts'

/**
 * The errors that the document has at all operations, or at all of a kind: each of them is met at each
 * operation, since a document that promises what cannot happen makes clients write code for it.
 */
interface Documented {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const provider = Object.fromEntries(
  Object.entries({
    ISSUER: '',
    CLIENT_ID: 'gatehouse',
    AUTHORIZATION_ENDPOINT: '/auth',
    TOKEN_ENDPOINT: '/token',
    JWKS_URI: '/jwks',
  }).flatMap(([name, value]) =>
    ['OIDC', 'OIDC_ACME'].map((prefix, index) => [
      `${prefix}_${name}`,
      name === 'CLIENT_ID' ? value : `http://127.0.0.1:${index + 1}${value}`,
    ]),
  ),
)
/** Operations that answer from memory. */
const withoutDatabase = [
  'GET /',
  'GET /.well-known/jwks.json',
  'GET /api/docs',
  'GET /api/openapi.json',
  'GET /api/public/captcha',
  'GET /api/public/status',
  'GET /health/live',
]
/** Operations that a proof from a mailbox opens: test/attacks/reset.test.ts, test/spec/sign-in-by-mail.test.ts. */
const proving = ['reset', 'sign-in-code'].map((path) => `PUT /api/public/${path}`)
/** Operations by which anyone asks for mail. */
const mailing = ['sign-up', 'reset', 'sign-in-code'].map((path) => `POST /api/public/${path}`)
const examples: Record<string, string> = {
  ...{ address: '192.0.2.1', id: '1', kid: 'none', username: 'admin', provider: 'acme' },
}
const operations = operationsOf(JSON.parse(readDoc('openapi.json')))

function operationsOf({ paths }: ApiDocument): Documented[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      path: template.replace(/\{(\w+)\}/g, (_, name) => examples[name] ?? 'none'),
      operation,
    })),
  )
}

const clients = { CLIENTS_FILE: clientsFile([entry('shop')]) }
const session = { security: [{ session: [] }], responses: {} }

/** What lets anyone ask for mail. */
const forAnyone = { SIGN_UP: 'open', SIGN_IN_BY_MAIL: 'on' }

/** The question of a proxy, which needs a rule. Its path is the same in both documents. */
const forwardQuestion = 'GET /api/authz/forward'
const behindProxy = {
  TRUST_PROXY: '127.0.0.1',
  FORWARD_AUTH_FILE: forwardFile([{ hosts: ['wiki.example.org'], policy: 'one_factor' }]),
}

/** The body by which the document shows an operation. */
function exampleOf({ requestBody }: Operation): unknown {
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {}
  return example ?? Object.values(examples)[0]?.value
}

/** The schemes that an operation accepts. */
function acceptedBy({ security = [] }: Operation): object {
  return Object.assign({}, ...security)
}

/** Headers of an administrator, by the scheme that an operation accepts. */
async function everything(app: TestApp) {
  const proof: Record<string, Headers> = {
    basic: app.basic(app.admin),
    session: await app.session(app.admin),
    bearer: await app.bearer(app.admin),
    client: asClient('shop'),
  }
  return ({ operation }: Pick<Documented, 'operation'>): Headers => {
    const [scheme = ''] = Object.keys(acceptedBy(operation))
    return proof[scheme] ?? {}
  }
}

/** Answers the path of an operation, about something that exists where its example makes one for anyone. */
async function existingPaths(app: TestApp): Promise<(one: Documented) => Promise<string>> {
  const world = await worldOf(app)
  const caller = await newCaller(world, 'session')
  const routes = new Map(shownRoutes(app).map((route) => [route.key, route]))
  return async ({ operation, path }) => {
    const route = routes.get(operation.operationId ?? '')
    return route && !route.example.needs ? pathOf(world, route, caller) : path
  }
}

interface Choice {
  readonly of?: readonly Documented[]
  /** Whether the error may be one of all operations, under `default`. */
  readonly byDefault?: boolean
  readonly except?: readonly string[]
}

/** All operations whose document has a status, each with an answer to what `request` makes. */
function each(
  [status, error]: readonly [status: number, error: string],
  request: (one: Documented) => Promise<Answer>,
  { of = operations, byDefault = false, except = [] }: Choice = {},
): void {
  const meant = of.filter(({ name, operation }) => {
    const by = documentedBy(operation, status)
    return (by === String(status) || (byDefault && by === 'default')) && !except.includes(name)
  })
  assert.ok(meant.length > 0)
  for (const one of meant) {
    test(`${one.name}: ${status} ${error}`, async () => {
      assertRefusal(await request(one), status, error)
    })
  }
}

suite('a request that is no proper HTTP: 400 everywhere', async () => {
  const app = await testApp()
  const headers = { host: 'a b' }
  each([400, 'Bad request'], ({ method, path }) => app.call(method, path, { headers }), {
    byDefault: true,
  })
})

suite('the general limit: 429 everywhere but at the probes', async () => {
  const app = await testApp({ RATE_LIMIT_MAX: '1' })
  await app.call('GET', '/api/public/status')
  // Where it is off, the document has nothing of it.
  const of = operationsOf(openApiOf(app.app.server) as unknown as ApiDocument)
  const except = [forwardQuestion] // its 429 is that of logins
  each([429, 'Too many requests'], ({ method, path }) => app.call(method, path), { of, except })
})

suite('too many wrong passwords or secrets: 429 wherever one is sent', async () => {
  const app = await testApp({ ...clients, ...behindProxy, LOGIN_ATTEMPTS: '1' })
  const { username } = app.admin
  const headers = app.basic({ ...app.admin, password: 'wrong' })
  assertRefusal(await app.call('GET', '/api/account', { headers }), 401, 'Authentication required')
  const guess = { headers: asClient('shop', 'wrong') }
  assertRefusal(await app.call('POST', '/oauth/introspect', guess), 401, 'invalid_client')
  const json = { username, password: app.admin.password }
  each(
    [429, 'Too many login attempts'],
    ({ name, method, path, operation }) => {
      const schemes = acceptedBy(operation)
      if (name === forwardQuestion) {
        return app.call(method, path, { headers: { ...forwarded(), ...app.basic(app.admin) } })
      }
      if ('client' in schemes) return app.call(method, path, { headers: asClient('shop') })
      return app.call(
        method,
        path,
        'basic' in schemes ? { headers: app.basic(app.admin) } : { json },
      )
    },
    // A sign-in under way is asked for first, or the proof of a mail, whose owner is limited then; the
    // others answer 429 to a client that asks for mail.
    {
      except: [
        'POST /oauth/second-factor',
        ...['PUT /api/public/sign-up', 'POST /api/public/invitation'], // of usernames that are taken
        ...proving,
        ...mailing,
      ],
    },
  )
})

suite('too many requests for mail: 429 wherever anyone asks for it', async () => {
  const app = await testApp({ ...forAnyone, MAIL_REQUESTS_PER_CLIENT: '1' })
  await app.call('POST', '/api/public/sign-up', { json: { email: 'first@example.org' } })
  each(
    [429, 'Too many requests'],
    ({ method, path, operation }) => app.call(method, path, { json: exampleOf(operation) }),
    { of: operations.filter(({ name }) => mailing.includes(name)) },
  )
})

suite('a body that is too large: 413 wherever one is read', async () => {
  const app = await testApp(await exampleSettings())
  const pathFor = await existingPaths(app)
  const headers = await everything(app)
  const body = Buffer.alloc(1_048_577, ' ')
  each([413, 'Request body too large'], async (one) => {
    const [type = 'application/json'] = Object.keys(one.operation.requestBody?.content ?? {})
    const sent = { 'content-type': type, ...headers(one) }
    return app.call(one.method, await pathFor(one), { headers: sent, body })
  })
})

for (const [what, odd] of [
  ['coding', { 'content-encoding': 'gzip' }],
  ['charset', { charset: 'utf-16' }],
] as const) {
  suite(`a body of another ${what}: 415 wherever one is read`, async () => {
    const app = await testApp(await exampleSettings())
    const pathFor = await existingPaths(app)
    const headers = await everything(app)
    const { charset, ...more }: Record<string, string> = odd
    const ofClients = operations.filter(({ operation }) => 'client' in acceptedBy(operation))
    for (const [error, of] of [
      ['invalid_request', ofClients],
      ['Unsupported media type', operations.filter((one) => !ofClients.includes(one))],
    ] as const) {
      each(
        [415, error],
        async (one) => {
          const [type = 'application/json'] = Object.keys(one.operation.requestBody?.content ?? {})
          const typed = { 'content-type': charset ? `${type}; charset=${charset}` : type }
          const sent = { ...typed, ...more, ...headers(one) }
          return app.call(one.method, await pathFor(one), { headers: sent, body: '{}' })
        },
        { of },
      )
    }
  })
}

suite('a session without its CSRF token: 403 wherever something changes', async () => {
  const app = await testApp()
  const { cookie } = await app.session(app.admin)
  for (const { name, method, path, operation } of operations) {
    const isMeant = 'session' in acceptedBy(operation) && method !== 'GET'
    if (!isMeant) continue
    test(name, async () => {
      const answer = await app.call(method, path, { headers: { cookie } })
      assertRefusal(answer, 403, 'CSRF token invalid')
      assert.ok('403' in operation.responses)
    })
  }
})

for (const [status, error, failure] of [
  [500, 'Internal server error', new Error('a mistake of ours')],
  [503, 'Service unavailable', new DatabaseUnavailable('gone')],
] as const) {
  suite(`a database that fails: ${status} wherever it is asked`, async () => {
    let isBroken = false
    const { directory, db, ...connected } = await connectTo()
    const breaking: KyselyPlugin = {
      transformQuery({ node }) {
        if (isBroken) throw failure
        return node
      },
      // A statement that is compiled already is not transformed.
      async transformResult({ result }) {
        if (isBroken) throw failure
        return result
      },
    }
    const asyncCommitDb = connected.asyncCommitDb.withPlugin(breaking)
    const deps = { ...connected, asyncCommitDb, db: db.withPlugin(breaking) }
    const settings = {
      ...{ ...provider, ...clients, ...forAnyone, ...behindProxy },
      OIDC_PROVIDERS: 'acme',
    }
    const app = await testApp(settings, { directory, deps })
    const { username, password } = app.admin
    const headers = await everything(app)
    const { refresh_token } = await app.pair(app.admin)
    const flow = { cookie: `__Host-oauth=${'a'.repeat(43)}` }
    const back = `?code=x&state=${'b'.repeat(43)}`
    /** What makes an operation that is open to anyone ask the database, if no example does. */
    const open: Record<string, Call & { readonly query?: string }> = {
      'POST /login': { json: { username, password } },
      [forwardQuestion]: { headers: { ...forwarded(), ...app.basic(app.admin) } },
      'POST /logout': { headers: headers({ operation: session }) },
      'POST /refresh': { json: { refresh_token } },
      'GET /oauth/callback': { query: back, headers: flow },
      'GET /oauth/{provider}/callback': { query: back, headers: flow },
      'GET /oauth/logout': { headers: headers({ operation: session }) },
      'GET /oauth/{provider}/logout': { headers: headers({ operation: session }) },
      'POST /oauth/logout': { headers: headers({ operation: session }), form: {} },
      'POST /oauth/{provider}/logout': { headers: headers({ operation: session }), form: {} },
      'GET /oauth/second-factor': { headers: flow },
      'POST /oauth/second-factor': { headers: flow, json: { totp: '123456' } },
    }
    each(
      [status, error],
      async (one) => {
        const isOfAnyone = Object.keys(acceptedBy(one.operation)).length === 0
        const shown = isOfAnyone ? exampleOf(one.operation) : undefined
        const { query = '', ...call } = open[one.name] ?? {
          headers: headers(one),
          ...(shown !== undefined && { json: shown }),
        }
        isBroken = true
        const answer = await app.call(one.method, one.path + query, call)
        isBroken = false
        return answer
      },
      { byDefault: true, except: withoutDatabase },
    )
  })
}
