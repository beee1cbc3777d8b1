import assert from 'node:assert/strict'
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { testApp } from '../app.ts'
import { sqliteOnly } from '../database.ts'
import { waitUntil } from '../faults/waiting.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertHeaders, assertPage, assertRefusal } from '../refusal.ts'

suite('health and status', async () => {
  const app = await testApp()

  for (const [path, body] of [
    ['/health/live', { status: 'live' }],
    ['/health/ready', { status: 'ready' }],
    ['/api/public/status', { status: 'ok', service: 'gatehouse', versions: ['v1', 'v2'] }],
  ] as const) {
    test(`GET ${path} is for anyone, and ignores credentials`, async () => {
      for (const headers of [{}, { authorization: 'Bearer nonsense' }, app.basic(app.admin)]) {
        const answer = await app.call('GET', path, { headers })
        assert.deepEqual([answer.status, answer.body], [200, body])
        assertHeaders(answer, path)
      }
    })
  }

  test('while the service stops, what it accepted is answered: ready is 503, live is 200', async () => {
    for (const [path, status] of [
      ['/health/ready', 503],
      ['/health/live', 200],
    ] as const) {
      const stopping = await testApp()
      const { port } = await stopping.listen()
      const request = rawRequest(`GET ${path} HTTP/1.1`)
      let stopped = Promise.resolve()
      const { answers } = await exchange(port, request.slice(0, -2), {
        opened: async (socket) => {
          // The service holds the first part of the request once it has answered another.
          await ask(port, 'GET /health/live HTTP/1.1')
          stopped = stopping.close()
          await waitUntil('a closed port', () => !stopping.app.server.server.listening)
          socket.write(request.slice(-2))
        },
      })
      await stopped
      assert.equal(answers.length, 1)
      const told = stopping.log.filter(({ msg }) => msg === 'not ready')
      const reasons = told.map(({ reason }) => reason)
      assert.deepEqual(reasons, status === 503 ? ['stopping'] : [])
      for (const answer of answers) {
        assert.equal(answer.headers.connection, 'close')
        if (status === 503) assertRefusal(answer, 503, 'Service unavailable')
        else assert.deepEqual([answer.status, answer.body], [200, '{"status":"live"}'])
      }
    }
  })

  for (const [about, harm] of [
    ['gone', (file: string) => rmSync(file)],
    ['garbage', (file: string) => writeFileSync(file, 'garbage '.repeat(10_000))],
    ['empty', (file: string) => truncateSync(file)],
  ] as const) {
    sqliteOnly(`ready is 503 when the database file is ${about}, live is 200`, async () => {
      const broken = await testApp()
      assert.equal((await broken.call('GET', '/health/ready')).status, 200)
      harm(join(broken.directory, databaseFileName))
      assertRefusal(await broken.call('GET', '/health/ready'), 503, 'Service unavailable')
      assert.equal((await broken.call('GET', '/health/live')).status, 200)
    })
  }

  test('ready is no success without a database, live is', async () => {
    const broken = await testApp()
    await broken.deps.db.destroy()
    assert.ok((await broken.call('GET', '/health/ready')).status >= 500)
    assert.equal((await broken.call('GET', '/health/live')).status, 200)
  })
})

const navigation = { accept: 'text/html,*/*;q=0.8' }

suite('OpenAPI and its page in development', async () => {
  const app = await testApp({ NODE_ENV: 'development' })

  test('GET /api/openapi.json is for anyone', async () => {
    const answer = await app.call('GET', '/api/openapi.json')
    const type = 'application/json; charset=utf-8'
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, type])
    assert.ok(answer.text.length > 100)
    assertHeaders(answer)
  })

  test('GET /api/docs is for anyone, a page for every Accept', async () => {
    for (const headers of [{}, navigation, { accept: 'application/json' }]) {
      assertPage(await app.call('GET', '/api/docs', { headers }), 200, 'Gatehouse API')
    }
  })

  test('the document is OpenAPI 3.1 and holds every route of the specification', async () => {
    const { body } = await app.call('GET', '/api/openapi.json')
    assert.equal(body.openapi, '3.1.0')
    for (const [path, methods] of [
      ['/login', ['post']],
      ['/logout', ['post']],
      ['/refresh', ['post']],
      ['/api/protected', ['get']],
      ['/api/transfer', ['post']],
      ['/api/me', ['get']],
      ...['/users', '/api/v1/users', '/api/v2/users'].flatMap((users) => [
        [users, ['get', 'post']] as const,
        [`${users}/{id}`, ['delete', 'get', 'put']] as const,
      ]),
    ] as const) {
      assert.deepEqual(Object.keys(body.paths[path] ?? {}).sort(), methods, path)
    }
  })

  test('the document names the cookie, counts and empty answers as they are', async () => {
    const named = await testApp({ SESSION_COOKIE_NAME: '__Host-id' })
    const headers = named.basic(named.admin)
    const { body } = await named.call('GET', '/api/openapi.json', { headers })
    assert.equal(body.components.securitySchemes.session.name, '__Host-id')
    const silent = body.paths['/api/transfer'].post.responses['401']
    assert.equal(silent.content, undefined)
    assert.ok(silent.description)
    const { schema } = body.paths['/api/v2/users'].get.responses['200'].content['application/json']
    assert.deepEqual(schema, { $ref: '#/components/schemas/UserPageV2' })
    assert.match(body.components.schemas.UserPageV2.properties.total.description, /`q`/)
  })

  test('the page loads its files from this service, and they may be kept', async () => {
    const { text } = await app.call('GET', '/api/docs')
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    const names = files.map((path) => path.split('/').at(-1) ?? '')
    const own = readdirSync(join(import.meta.dirname, '../../src/extras/api-reference/browser'))
    assert.deepEqual(new Set(names), new Set(['style.css', 'icon.svg', ...own]))
    const script = files.find((path) => path.endsWith('main.js')) ?? ''
    for (const path of files) {
      const answer = await app.call('GET', path)
      assert.equal(answer.status, 200, path)
      assert.match(String(answer.headers['cache-control']), /immutable/)
    }
    const { headers } = await app.call('GET', script)
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  })

  test('the page has every operation of the document, /login first, without the script', async () => {
    const { text } = await app.call('GET', '/api/docs')
    const { body } = await app.call('GET', '/api/openapi.json')
    const methods = Object.values<Record<string, { operationId: string }>>(body.paths)
    const ids = methods.flatMap((path) => Object.values(path)).map(({ operationId }) => operationId)
    const shown = [...text.matchAll(/<details class="operation" id="([^"]+)"/g)]
    assert.ok(ids.length > 70)
    assert.deepEqual(shown.map(([, id]) => id).toSorted(), ids.toSorted())
    assert.equal(shown[0]?.[1], body.paths['/login'].post.operationId)
    for (const word of ['Too many login attempts', 'recovery_code', 'If-Match']) {
      assert.ok(text.includes(word), word)
    }
    assert.equal(text.split('<pre class="curl"').length - 1, ids.length)
  })

  test('the document says what the total of a search is', async () => {
    const { body } = await app.call('GET', '/api/openapi.json')
    const { parameters } = body.paths['/api/v2/users'].get
    const q = parameters.find(({ name }: { name: string }) => name === 'q')
    assert.match(q.description, /one or two characters: their beginning/)
    const { total } = body.components.schemas.UserPageV2.properties
    assert.match(total.description, /exact count up to 1,000, and 1,001 where there are more/)
  })
})

suite('OpenAPI and its page in production', async () => {
  const app = await testApp({ NODE_ENV: 'production', TRUST_PROXY: 'none' })
  const user = await app.bearer(await app.account('ann', ['USER', 'EDITOR']))

  for (const path of ['/api/openapi.json', '/api/docs']) {
    test(`GET ${path} is for ADMIN`, async () => {
      assertRefusal(await app.call('GET', path), 401, 'Authentication required')
      assertRefusal(await app.call('GET', path, { headers: user }), 403, 'Access denied')
      const answer = await app.call('GET', path, { headers: app.basic(app.admin) })
      assert.equal(answer.status, 200)
    })
  }

  test('a browser is asked for a password, and its page says what to do when that is cancelled', async () => {
    const challenge = 'Basic realm="API", charset="UTF-8"'
    const heading = 'The reference cannot be shown'
    const asked = await app.call('GET', '/api/docs', { headers: navigation })
    assertPage(asked, 401, heading)
    assert.ok(String(asked.headers['www-authenticate']).includes(challenge))
    assertPage(
      await app.call('GET', '/api/docs', { headers: { ...navigation, ...user } }),
      403,
      heading,
    )
    assert.ok(!asked.text.includes('/login'), 'nothing of the document is told')
    const document = await app.call('GET', '/api/openapi.json', { headers: navigation })
    assertRefusal(document, 401, 'Authentication required')
  })

  test('the files of the page are for anyone', async () => {
    for (const file of ['main.js', 'curl.js', 'reference.css']) {
      assert.equal((await app.call('GET', `/assets/docs/0/${file}`)).status, 200, file)
    }
  })
})
