import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type Call, testApp } from '../app.ts'
import { ask, exchange, type RawAnswer, rawRequest } from '../raw-http.ts'
import { policiesOfPages } from '../refusal.ts'

/** Spelled out once more, to the letter of the table. */
const table = [
  ['Content-Security-Policy', "default-src 'self'; script-src 'self'"],
  ['X-Frame-Options', 'DENY'],
  ['X-XSS-Protection', '1; mode=block'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
] as const

function assertTable({ status, headers }: Answer | RawAnswer, wanted: number): void {
  assert.equal(status, wanted)
  for (const [name, value] of table) assert.equal(headers[name.toLowerCase()], value, name)
}

suite('spec 5.7: security response headers', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '1', CORS_ORIGINS: 'https://app.example' })
  const admin = await app.bearer(app.admin)
  const user = await app.bearer(await app.account('ann'))
  const { port } = await app.listen()
  const typed = { 'content-type': 'application/json' }
  const wrong = { json: { username: 'nobody', password: 'not the password' } }
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }
  const created = { headers: admin, json: { name: 'Ann', email: 'ann@example.org' } }
  const right = { username: app.admin.username, password: app.admin.password }

  const answers: readonly [string, number, string, string, Call?][] = [
    ['a message', 200, 'GET', '/health/live'],
    ['a login by session', 200, 'POST', '/login', { form: right }],
    ['a login by token', 200, 'POST', '/login', { json: right }],
    ['a logout', 200, 'POST', '/logout'],
    ['a streamed list', 200, 'GET', '/users', { headers: admin }],
    ['an envelope', 200, 'GET', '/users?page=1', { headers: admin }],
    ['a creation', 201, 'POST', '/users', created],
    ['a preflight', 204, 'OPTIONS', '/users', { headers: preflight }],
    ['an answer to HEAD', 200, 'HEAD', '/users', { headers: admin }],
    ['a style sheet', 200, 'GET', '/assets/0/style.css'],
    ['the published keys', 200, 'GET', '/.well-known/jwks.json'],
    ['a body that does not parse', 400, 'POST', '/login', { body: '{', headers: typed }],
    ['a violation', 400, 'POST', '/users', { headers: admin, json: { name: 5 } }],
    ['a bad address', 400, 'GET', '/%zz'],
    ['no credential', 401, 'GET', '/users'],
    ['no session, without a body', 401, 'POST', '/api/transfer'],
    ['wrong credentials', 401, 'POST', '/login', wrong],
    ['denied', 403, 'GET', '/api/admin/accounts', { headers: user }],
    ['no such user', 404, 'GET', '/users/999', { headers: admin }],
    ['no such route', 404, 'GET', '/nowhere'],
    ['a conflict', 409, 'DELETE', '/users/1', { headers: admin }],
    ['a body too large', 413, 'POST', '/login', { body: ' '.repeat(1_048_577), headers: typed }],
    ['throttled', 429, 'POST', '/login', wrong],
  ]
  for (const [what, status, method, path, call] of answers) {
    test(`${what}, ${status}, has all five with their exact values`, async () => {
      assertTable(await app.call(method, path, call), status)
    })
  }

  test('pages have all five, and a second policy in a field of its own', async () => {
    const pages = {
      '/signin': 200,
      '/oauth/acme/login': 404,
      '/oauth/second-factor': 400,
    }
    for (const [path, status] of Object.entries(pages)) {
      const answer = await app.call('GET', path, { headers: { accept: 'text/html' } })
      const name = 'content-security-policy'
      assert.deepEqual(answer.headers[name], policiesOfPages, path)
      assertTable({ ...answer, headers: { ...answer.headers, [name]: policiesOfPages[0] } }, status)
    }
    const { text } = await exchange(
      port,
      rawRequest('GET /signin HTTP/1.1', { Accept: 'text/html' }),
    )
    for (const policy of policiesOfPages) {
      assert.ok(text.includes(`\r\ncontent-security-policy: ${policy}\r\n`), text)
    }
  })

  test('answers of the HTTP parser have them too: 400, 431', async () => {
    assertTable(await ask(port, 'GET / HTTP/1.1', { 'Content-Length': 'x' }), 400)
    const { answers: early } = await exchange(port, 'nonsense\r\n\r\n')
    assert.equal(early.length, 1)
    for (const answer of early) assertTable(answer, 400)
    const long = rawRequest('GET / HTTP/1.1', { X: 'x'.repeat(17_000) })
    const { answers: refused } = await exchange(port, long)
    assert.equal(refused.length, 1)
    for (const answer of refused) assertTable(answer, 431)
  })

  test('each is sent once', async () => {
    for (const path of ['/users', '/health/live']) {
      const answer = await ask(port, `GET ${path} HTTP/1.1`)
      for (const [name, value] of table) assert.equal(answer.headers[name.toLowerCase()], value)
    }
  })

  /** The values of the fields of one name, in an answer of Node's own responses. */
  const sentAs = (text: string, name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}: (.*)\\r$`, 'gim'))].map(([, value = '']) => value)

  for (const [what, path, given] of [
    ['an answer that sets none of them', '/health/live', {}],
    ['a refusal', '/nowhere', {}],
    ['a page, which sets two of them', '/signin', { Accept: 'text/html' }],
    ['a file, which may be kept', '/assets/0/style.css', {}],
    ['a list that is streamed', '/users', admin],
    ['a request that is not served', '/users', { Expect: 'nothing' }],
  ] as const) {
    test(`over the network, ${what} has each of them once, and no other value`, async () => {
      const { text } = await exchange(port, rawRequest(`GET ${path} HTTP/1.1`, { ...given }))
      const isPage = 'Accept' in given
      for (const [name, value] of table) {
        const isPolicy = name === 'Content-Security-Policy'
        assert.deepEqual(sentAs(text, name), isPage && isPolicy ? policiesOfPages : [value], name)
      }
      const kept = path.startsWith('/assets') ? 'no-cache' : 'no-store'
      assert.deepEqual(sentAs(text, 'Cache-Control'), [kept])
      assert.deepEqual(sentAs(text, 'Referrer-Policy'), [isPage ? 'same-origin' : 'no-referrer'])
      assert.deepEqual(sentAs(text, 'Cross-Origin-Resource-Policy'), ['same-origin'])
    })
  }

  test('500 and 503 have them too', async () => {
    const broken = await testApp()
    const headers = await broken.bearer(broken.admin)
    await broken.deps.db.destroy()
    const answer = await broken.call('GET', '/users/1', { headers })
    assert.ok(answer.status >= 500)
    assertTable(answer, answer.status)
  })
})
