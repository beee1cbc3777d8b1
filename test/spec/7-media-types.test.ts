import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { refusesBodies } from '../../src/core/http/bodies/bodies.ts'
import { type Answer, type Headers, testApp } from '../app.ts'
import { asClient } from '../clients.ts'
import { exampleSettings, newCaller, pathOf, shownRoutes, worldOf } from '../examples.ts'
import { assertPage, assertRefusal } from '../refusal.ts'

const types: Readonly<Record<string, string>> = {
  parameters: 'application/x-www-form-urlencoded',
  lines: 'application/x-ndjson',
}
const typeOf = (body: string) => types[body] ?? 'application/json'

/** Their errors are those of RFC 6749 section 5.2. */
const wordsOfOauth = ['introspect', 'revoke', 'token', 'par', 'device', 'userinfo'].map(
  (name) => `/oauth/${name}`,
)

suite('a body of another coding or charset', async () => {
  const app = await testApp(await exampleSettings())
  const bearer = await app.bearer(app.admin)
  const session = await app.session(app.admin)
  const world = await worldOf(app)
  const caller = await newCaller(world, 'bearer')
  const proofOf = ({ schemes }: { readonly schemes: string }): Headers => {
    if (schemes === '-') return {}
    if (schemes === 'client') return asClient('shop')
    return schemes.includes('bearer') ? bearer : session
  }
  const assertUnsupported = (answer: Answer, url: string, about: string) => {
    const isOfClients = wordsOfOauth.includes(url)
    assertRefusal(answer, 415, isOfClients ? 'invalid_request' : 'Unsupported media type', about)
    assert.equal(answer.headers['accept-encoding'], 'identity', about)
    assert.deepEqual(answer.cookies, {}, about)
  }

  const reading = shownRoutes(app).filter(({ body }) => refusesBodies(body))
  test('the table has the routes that it should have', () => {
    const names = reading.map(({ method, url }) => `${method} ${url}`)
    for (const name of ['POST /login', 'POST /refresh', 'POST /oauth/revoke', 'POST /signin']) {
      assert.ok(names.includes(name), name)
    }
  })

  for (const row of reading) {
    const { method, url, schemes, body, csrf } = row
    test(`${method} ${url}: 415, after 401 and 403, and nothing is changed`, async () => {
      const path = await pathOf(world, row, caller)
      const type = typeOf(body)
      const proof = proofOf(row)
      const before = await app.rows()
      for (const [more, sent] of [
        [{ 'content-encoding': 'gzip', 'content-type': type }, gzipSync('{}')],
        [{ 'content-encoding': 'br', 'content-type': type }, '{}'],
        [{ 'content-encoding': 'zz', 'content-type': type }, '{}'],
        [{ 'content-type': `${type}; charset=utf-16` }, '{}'],
        [{ 'content-type': `${type};CHARSET="Latin1"` }, '{}'],
        [{ 'content-type': `${type}; charset=utf-8; charset=utf-16` }, '{}'],
      ] as const) {
        const call = (headers: Headers) =>
          app.call(method, path, { headers: { ...headers, ...more }, body: sent })
        const about = JSON.stringify(more)
        assertUnsupported(await call(proof), url, about)
        if (schemes !== '-') assert.equal((await call({})).status, 401, about)
        if (schemes.includes('session') && csrf !== 'field') {
          assertRefusal(await call({ cookie: session.cookie }), 403, 'CSRF token invalid', about)
        }
        if (csrf === 'field' || csrf === 'foreignPage') {
          const origin = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
          assertRefusal(await call({ ...proof, ...origin }), 403, 'Access denied', about)
        }
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  const declared = app.app.server.declared.routes
  const pages = reading.filter(({ method, url }) =>
    declared.some((one) => one.url === url && one.method === method && one.config?.errorPage),
  )
  for (const row of pages) {
    const { method, name } = row
    test(`${name}: a browser gets the refusal as a page`, async () => {
      const path = await pathOf(world, row, caller)
      const send = (language: string) =>
        app.call(method, path, {
          headers: {
            ...proofOf(row),
            accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
            'accept-language': language,
            'content-type': 'application/x-www-form-urlencoded; charset=utf-16',
          },
          body: 'a=b',
        })
      const english = await send('en')
      assertPage(english, 415, 'Something went wrong')
      assert.equal(english.headers['accept-encoding'], 'identity')
      const german = await send('de')
      assert.deepEqual([german.status, german.headers['accept-encoding']], [415, 'identity'])
      assert.match(german.text, /<h1>Etwas ist schiefgegangen<\/h1>/)
    })
  }

  for (const type of ['', '; charset=utf-8', '; charset="UTF8"', ';Charset=us-ascii']) {
    test(`application/json${type} is read, with Content-Encoding: identity`, async () => {
      const headers = { 'content-type': `application/json${type}`, 'content-encoding': 'Identity' }
      const answer = await app.call('POST', '/users', {
        headers: { ...bearer, ...headers },
        body: '{"name":"Änn","email":"ann@example.org"}',
      })
      assert.deepEqual([answer.status, answer.body.name], [201, 'Änn'])
    })
  }

  test('another content type is 400, whatever its charset', async () => {
    const headers = { ...bearer, 'content-type': 'text/plain; charset=utf-16' }
    const answer = await app.call('POST', '/users', { headers, body: '{}' })
    assertRefusal(answer, 400, 'Invalid request body')
  })

  test('routes that want no body, and GET, ignore both', async () => {
    const odd = { 'content-encoding': 'gzip', 'content-type': 'application/json; charset=utf-16' }
    const user = await app.account('short lived')
    const headers = { ...bearer, ...odd }
    const path = `/users/${user.userId}`
    const removed = await app.call('DELETE', path, { headers, body: gzipSync('{}') })
    assert.equal(removed.status, 200)
    for (const url of ['/users', '/health/live', '/api/public/status']) {
      assert.equal((await app.call('GET', url, { headers, body: '{}' })).status, 200, url)
    }
  })

  test('POST /logout ignores both, and ends what was sent', async () => {
    for (const odd of [
      { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      { 'content-type': 'application/json; charset=utf-16' },
    ]) {
      const { cookie } = await app.session(app.admin)
      const out = await app.call('POST', '/logout', {
        headers: { cookie, ...odd },
        body: gzipSync('{}'),
      })
      assert.deepEqual([out.status, out.body], [200, { message: 'Logged out' }])
      const after = await app.call('GET', '/api/protected', { headers: { cookie } })
      assertRefusal(after, 401, 'Authentication required')
    }
  })

  test('what does not exist is 404 first', async () => {
    const headers = { ...bearer, 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const answer = await app.call('PUT', '/users/999999', { headers, body: '{}' })
    assertRefusal(answer, 404, 'User not found')
    const unknown = await app.call('POST', '/nope', { headers, body: '{}' })
    assertRefusal(unknown, 404, 'Route not found')
  })
})
