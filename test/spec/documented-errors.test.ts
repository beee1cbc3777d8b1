import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { DatabaseUnavailable } from '../../src/core/database/errors.ts'
import { openApiOf } from '../../src/core/http/documents/openapi.ts'
import { createKeyText } from '../../src/modules/api-keys/key-text.ts'
import { readDoc } from '../../tools/docs.ts'
import { bearerOf } from '../api-keys.ts'
import { type TestApp, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { connectTo } from '../database.ts'
import {
  exampleNames,
  exampleSettings,
  newCaller,
  nobody,
  requestOf,
  sendersOf,
  shownRoutes,
  worldOf,
} from '../examples.ts'
import { forwarded } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { clockOfToday } from '../identity-provider.ts'
import { type ApiDocument, documentedBy, type Operation } from '../openapi/operations.ts'
import { noteMet } from '../openapi/record.ts'
import { ask } from '../raw-http.ts'
import { type AnyAnswer, assertRefusal } from '../refusal.ts'

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

/** Endpoints for applications, which have the words of RFC 6749 section 5.2. */
const protocol = ['/oauth/token', '/oauth/par', '/oauth/device', '/oauth/userinfo']
const wordsOfProtocol: Readonly<Record<string, string>> = {
  'Request body too large': 'invalid_request',
  'Unsupported media type': 'invalid_request',
  'Service unavailable': 'temporarily_unavailable',
}

/** Operations that answer from memory. */
const withoutDatabase = [
  'GET /',
  'GET /.well-known/jwks.json',
  'GET /api/docs',
  'GET /api/openapi.json',
  'GET /api/public/captcha',
  'GET /api/public/status',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/openid-configuration',
  'GET /.well-known/passkey-endpoints',
  'GET /.well-known/webauthn',
  'POST /api/public/passkeys/options',
  'POST /oauth/callback',
  'POST /oauth/{provider}/callback',
  'GET /health/live',
]
/** Operations that a proof from a mailbox opens: test/attacks/reset.test.ts, test/spec/sign-in-by-mail.test.ts. */
const proving = ['reset', 'sign-in-code'].flatMap((path) => [
  `POST /api/public/${path}/complete`,
  `PUT /api/public/${path}`,
])
/** Operations by which anyone asks for mail. */
const mailing = ['sign-up', 'reset', 'sign-in-code'].map((path) => `POST /api/public/${path}`)
const operations = operationsOf(JSON.parse(readDoc('openapi.json'))).filter(
  ({ operation }) => exampleNames.includes(operation.operationId ?? ''), // others: test/examples.test.ts
)
const settings = await exampleSettings()

function operationsOf({ paths }: ApiDocument): Documented[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      path: template.replace(/\{\w+\}/g, 'none'),
      operation,
    })),
  )
}

const clients = { CLIENTS_FILE: clientsFile([entry('shop')]) }
/** The question of a proxy, which needs a rule. Its path is the same in both documents. */
const forwardQuestion = 'GET /api/authz/forward'
const behindProxy = {
  TRUST_PROXY: '127.0.0.1',
  FORWARD_AUTH_FILE: forwardFile([{ hosts: ['wiki.example.org'], policy: 'one_factor' }]),
}

/** The schemes that an operation accepts. */
function acceptedBy({ security = [] }: Operation): object {
  return Object.assign({}, ...security)
}

/**
 * Answers what makes a valid request of an operation, by its example: one that changes something, if
 * there is one. Requests that are open to anyone have the session of a caller.
 */
async function validRequests(app: TestApp) {
  const world = await worldOf(app)
  const senderOf = await sendersOf(world)
  const session = await newCaller(world, 'session')
  const routes = new Map(shownRoutes(app).map((route) => [route.key, route]))
  return async ({ operation }: Documented) => {
    const route = routes.get(operation.operationId ?? '') ?? assert.fail(operation.operationId)
    const { make } = route.all.find(({ events }) => events) ?? route.example
    const sender = await senderOf(route)
    const caller = route.schemes === '-' && sender === nobody ? session : sender
    return requestOf(route, (await make?.(world, caller)) ?? {}, caller)
  }
}

/** The media type of the body of an operation, for one whose example has none. */
function typeOf({ operation }: Documented): string {
  return Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json'
}

const keyRevocation = '/api/public/keys/revoke'
const newKeyText = () => ({ key: createKeyText(systemRandom) })

interface Choice {
  readonly of?: readonly Documented[]
  /** Whether the error may be one of all operations, under `default`. */
  readonly byDefault?: boolean
  readonly except?: readonly string[]
}

/** All operations whose document has a status, each with an answer to what `request` makes. */
function each(
  [status, error]: readonly [status: number, error: string],
  request: (one: Documented) => Promise<AnyAnswer>,
  { of = operations, byDefault = false, except = [] }: Choice = {},
): void {
  const meant = of.filter(({ name, operation }) => {
    const by = documentedBy(operation, status)
    return (by === String(status) || (byDefault && by === 'default')) && !except.includes(name)
  })
  assert.ok(meant.length > 0)
  for (const one of meant) {
    const words = protocol.includes(one.path) ? (wordsOfProtocol[error] ?? error) : error
    test(`${one.name}: ${status} ${words}`, async () => {
      assertRefusal(await request(one), status, words)
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
  for (let sent = 0; sent < app.deps.config.login.perAddress.attempts; sent += 1) {
    const unknown = { headers: bearerOf(createKeyText(systemRandom)) }
    assertRefusal(await app.call('GET', '/api/me', unknown), 401, 'Invalid token')
    assert.equal((await app.call('POST', keyRevocation, { json: newKeyText() })).status, 200)
  }
  each(
    [429, 'Too many login attempts'],
    ({ name, method, path, operation }) => {
      const schemes = acceptedBy(operation)
      if (name === forwardQuestion) {
        return app.call(method, path, { headers: { ...forwarded(), ...app.basic(app.admin) } })
      }
      if (path === keyRevocation) return app.call(method, path, { json: newKeyText() })
      if ('client' in schemes) return app.call(method, path, { headers: asClient('shop') })
      if (!('basic' in schemes) && 'bearer' in schemes) {
        return app.call(method, path, { headers: bearerOf(createKeyText(systemRandom)) })
      }
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
        ...['POST /oauth/token', 'POST /oauth/par', 'POST /oauth/device'], // test/provider/severe.test.ts
        'POST /oauth/register', // test/attacks/client-registration.test.ts
        ...['POST /api/public/sign-up/complete', 'PUT /api/public/sign-up'],
        'POST /api/public/invitation', // of usernames that are taken
        ...proving,
        ...mailing,
      ],
    },
  )
})

suite('too many requests for mail: 429 wherever anyone asks for it', async () => {
  const app = await testApp({ ...settings, MAIL_REQUESTS_PER_CLIENT: '1' })
  const requestFor = await validRequests(app)
  await app.call('POST', '/api/public/sign-up', { json: { email: 'first@example.org' } })
  each(
    [429, 'Too many requests'],
    async (one) => {
      const { method, path, ...call } = await requestFor(one)
      return app.call(method, path, call)
    },
    { of: operations.filter(({ name }) => mailing.includes(name)) },
  )
})

suite('a body that is too large: 413 wherever one is read', async () => {
  const app = await testApp(settings)
  const requestFor = await validRequests(app)
  const body = Buffer.alloc(1_048_577, ' ')
  each([413, 'Request body too large'], async (one) => {
    const { method, path, headers } = await requestFor(one)
    return app.call(method, path, { headers: { 'content-type': typeOf(one), ...headers }, body })
  })
})

for (const [what, odd] of [
  ['coding', { 'content-encoding': 'gzip' }],
  ['charset', { charset: 'utf-16' }],
] as const) {
  suite(`a body of another ${what}: 415 wherever one is read`, async () => {
    const app = await testApp(settings)
    const requestFor = await validRequests(app)
    const { charset, ...more }: Record<string, string> = odd
    const ofClients = operations.filter(({ operation }) => 'client' in acceptedBy(operation))
    for (const [error, of] of [
      ['invalid_request', ofClients],
      ['Unsupported media type', operations.filter((one) => !ofClients.includes(one))],
    ] as const) {
      each(
        [415, error],
        async (one) => {
          const { method, path, headers } = await requestFor(one)
          const type = headers['content-type'] ?? typeOf(one)
          const typed = { 'content-type': charset ? `${type}; charset=${charset}` : type }
          return app.call(method, path, { headers: { ...headers, ...typed, ...more }, body: '{}' })
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
    const app = await testApp(
      { ...settings, ...behindProxy, LOGIN_ATTEMPTS: '100' },
      { directory, deps, clock: clockOfToday() },
    )
    const requestFor = await validRequests(app)
    // A session is answered from memory, a password is not.
    const question = { headers: { ...forwarded(), ...app.basic(app.admin) } }
    each(
      [status, error],
      async (one) => {
        const { method, path, ...call } = await requestFor(one)
        isBroken = true
        const answer = await app.call(method, path, one.name === forwardQuestion ? question : call)
        isBroken = false
        return answer
      },
      { byDefault: true, except: withoutDatabase },
    )
  })
}

suite('an expectation that cannot be met: 417 everywhere', async () => {
  const app = await testApp(settings)
  const { port } = await app.listen()
  each(
    [417, 'Expectation failed'],
    async ({ name, method, path }) => {
      const answer = await ask(port, `${method} ${path} HTTP/1.1`, { Expect: 'a miracle' })
      noteMet(`${name} default`) // answered before the routes, where no answer is compared
      return answer
    },
    { byDefault: true },
  )
})
