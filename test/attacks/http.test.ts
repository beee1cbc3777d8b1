import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { testApp } from '../app.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const host = 'Host: localhost\r\n'
const json = 'Content-Type: application/json\r\n'
const toLogin = `POST /login HTTP/1.1\r\n${host}${json}`
const toLive = `GET /health/live HTTP/1.1\r\n${host}`

const misshapen: Readonly<Record<string, string>> = {
  'two Authorizations': `${toLive}Authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`,
  'two content types': `${toLogin}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
  'two Origins': `${toLive}Origin: https://a.example\r\nOrigin: https://b.example\r\n\r\n`,
  'no Host': 'GET /health/live HTTP/1.1\r\n\r\n',
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'one word': 'hello\r\n\r\n',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/0.9': 'GET /health/live\r\n\r\n',
  'HTTP/3.0': `GET /health/live HTTP/3.0\r\n${host}\r\n`,
  'a tab in the request line': `GET\t/health/live HTTP/1.1\r\n${host}\r\n`,
  'a space in the path': `GET /health live HTTP/1.1\r\n${host}\r\n`,
  'NUL in the path': `GET /health/\0live HTTP/1.1\r\n${host}\r\n`,
  'an unknown method': `FOO /health/live HTTP/1.1\r\n${host}\r\n`,
  'a method in lower case': `get /health/live HTTP/1.1\r\n${host}\r\n`,
  'a broken escape': rawRequest('GET /%zz HTTP/1.1'),
  'an escape cut short': rawRequest('GET /api/admin/accounts/% HTTP/1.1'),
  'an escape that is no UTF-8': rawRequest('GET /users/%ff HTTP/1.1'),
  'an absolute form without a host': rawRequest('GET http:// HTTP/1.1'),
}

suite('HTTP as it comes over the wire', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const admin = await app.bearer(app.admin)
  const { server } = app.app.server
  const handled: string[] = []
  server.on('request', ({ url }) => void handled.push(String(url)))
  const user = JSON.stringify({ name: 'Ann', email: 'ann@example.org' })

  for (const [what, bytes] of Object.entries(misshapen)) {
    test(`T94: ${what} is answered 400 in the contract's shape`, async () => {
      const { answers, text } = await exchange(port, bytes, { endWhen: (came) => came !== '' })
      assert.equal(answers.length, 1, text)
      for (const answer of answers) assertRefusal(answer, 400, 'Bad request')
    })
  }

  test('T94: a request for an upgrade is served as an ordinary request', async () => {
    for (const protocol of ['websocket', 'h2c', 'TLS/1.2']) {
      const headers = { Connection: 'Upgrade, close', Upgrade: protocol }
      const answer = await ask(port, 'GET /api/protected HTTP/1.1', headers)
      assertRefusal(answer, 401, 'Authentication required')
    }
  })

  test('T94: an error in a pipelined request does not write into the answer before it', async () => {
    const name = 'n'.repeat(100)
    const row = { name, name_key: name, email: 'n@example.org', email_key: 'n@example.org' }
    for (let batch = 0; batch < 30; batch += 1) {
      await app.deps.db.insertInto('users').values(Array<typeof row>(1000).fill(row)).execute()
    }
    const listing = `GET /users HTTP/1.1\r\n${host}Authorization: ${admin.authorization}\r\n\r\n`
    const text = await new Promise<string>((resolve) => {
      let received = ''
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      socket.on('error', () => {}) // a reset is one way to end it; `close` follows
      server.once('clientError', () => void socket.resume())
      socket.write(listing)
      socket.on('data', (chunk: string) => {
        if (received === '') {
          socket.pause() // so that the answer is still under way
          socket.write('no HTTP at all\r\n\r\n')
        }
        received += chunk
      })
      socket.on('close', () => resolve(received))
    })
    await app.deps.db.deleteFrom('users').where('name', '=', name).execute()
    assert.equal(text.indexOf('HTTP/1.1 200'), 0)
    const second = text.lastIndexOf('HTTP/1.1 ')
    const isBetween = second === 0 || text.slice(0, second).endsWith('\r\n0\r\n\r\n')
    assert.ok(isBetween, 'a status line inside of a body')
  })

  test('T66: a body over the limit is 413 wherever a body is wanted, at the limit it is read', async () => {
    const before = await app.rows()
    const headers = { ...admin, 'content-type': 'application/json' }
    const limits: readonly [string, number][] = [
      ['/users', 1_048_576],
      ['/api/v2/users', 1_048_576],
      ['/api/posts', 1_048_576],
      ['/login', 16_384],
      ['/refresh', 16_384],
      ['/api/admin/accounts', 16_384],
    ]
    for (const [path, limit] of limits) {
      const over = Buffer.alloc(limit + 1, ' ')
      const tooLarge = await app.call('POST', path, { headers, body: over })
      assertRefusal(tooLarge, 413, 'Request body too large', path)
      const atLimit = await app.call('POST', path, { headers, body: over.subarray(1) })
      assertRefusal(atLimit, 400, 'Invalid request body', path)
    }
    const promised = `${toLogin}Content-Length: 16385\r\n\r\n` // and nothing of it comes
    const unmeasured = `${toLogin}Transfer-Encoding: chunked\r\n\r\n4001\r\n${' '.repeat(16_385)}\r\n0\r\n\r\n`
    const extended = `${toLogin}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}`
    for (const bytes of [promised, unmeasured, extended]) {
      const { answers } = await exchange(port, bytes, { endWhen: (text) => text !== '' })
      assert.equal(answers.length, 1)
      for (const answer of answers) assertRefusal(answer, 413, 'Request body too large')
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('T66: a compressed body is refused; nothing is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, ' '))
    for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip']) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      const answer = await app.call('POST', '/login', { headers, body: bomb })
      assertRefusal(answer, 415, 'Unsupported media type', encoding)
    }
  })

  test('T66: a Content-Length that lies makes no user', async () => {
    const before = await app.rows()
    const head = (length: number) =>
      `POST /users HTTP/1.1\r\n${host}${json}Authorization: ${admin.authorization}\r\nContent-Length: ${length}\r\n\r\n`
    const opened = (socket: Socket) => void socket.end()
    const longer = await exchange(port, head(user.length + 1) + user, { opened })
    for (const answer of longer.answers) assertRefusal(answer, 400, 'Bad request')
    const shorter = await exchange(port, head(user.length - 1) + user)
    assert.ok(shorter.answers.length > 0)
    for (const { status } of shorter.answers) assert.equal(status, 400)
    assert.deepEqual(await app.rows(), before)
  })

  test('T66: 200 headers are read, 16 kB of them are 431', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`X-${index}`, 'x']))
    assert.equal((await ask(port, 'GET /health/live HTTP/1.1', many)).status, 200)
    for (const count of [400, 1200, 4000]) {
      const fields = Array.from({ length: count }, () => 'a:\r\n').join('')
      const last = `${host}Connection: close\r\n\r\n`
      const bytes = `GET /api/admin/accounts HTTP/1.1\r\n${fields}${last}`
      for (const answer of (await exchange(port, bytes)).answers) {
        assert.ok([400, 401, 431].includes(answer.status), `${count} ${answer.status}`)
        assertRefusal(answer, answer.status, JSON.parse(answer.body).error)
      }
    }
    const rows = [
      rawRequest('GET /health/live HTTP/1.1', { X: 'x'.repeat(16_500) }),
      rawRequest(`GET /${'x'.repeat(16_500)} HTTP/1.1`),
      rawRequest('GET /health/live HTTP/1.1', { ['X'.repeat(16_500)]: 'x' }),
      rawRequest('GET /health/live HTTP/1.1', { Cookie: 'JSESSIONID=x; '.repeat(1200) }),
    ]
    for (const bytes of rows) {
      const { answers } = await exchange(port, bytes)
      assert.equal(answers.length, 1)
      for (const answer of answers) assertRefusal(answer, 431, 'Request header fields too large')
    }
  })

  const sameAsJson = ['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8']
  const lenient = ['application/json ', ' application/json', 'application/json;charset=utf8']
  const parameters = ['application/json;', `application/json${';a=b'.repeat(2000)}`]
  const others = ['application/json\ta', 'application/jsonx', 'application/json, text/plain', '']
  const types = ['text/plain', 'text/json', 'application/problem+json', 'application/*', '*/*', '/']
  const forms = ['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'json']
  const broken = ['application/json"', 'application/json\\', 'application /json', 'x'.repeat(8000)]
  const accepted = new Set([...sameAsJson, ...lenient, ...parameters])
  const all = [...accepted, ...others, ...types, ...forms, ...broken]

  for (const type of all) {
    const shown = JSON.stringify(type.slice(0, 40))
    test(`T67: content type ${shown} is read and judged like JSON, or refused`, async () => {
      const isForm = type.includes('x-www-form-urlencoded')
      const counted = isForm ? ['throttle_places'] : [] // a form is an attempt
      const before = await app.rows(...counted)
      const headers = { ...admin, 'content-type': type }
      const send = (body: string, path = '/users') =>
        ask(port, `POST ${path} HTTP/1.1`, { ...headers, 'content-length': `${body.length}` }, body)
      const bad = await send('{"name":5,"email":"x"}')
      assert.equal(bad.status, 400)
      const login = await send('{"mode":"x"}', '/login')
      const [error] = [JSON.parse(bad.body).error]
      assert.equal(error, accepted.has(type) ? 'Validation failed' : 'Invalid request body')
      if (isForm) assertRefusal(login, 401, 'Invalid credentials')
      else assert.deepEqual([login.status, JSON.parse(login.body).error], [400, error])
      assert.deepEqual(await app.rows(...counted), before)
      if (!accepted.has(type)) {
        assertRefusal(await send(user), 400, 'Invalid request body')
        assert.deepEqual(await app.rows(...counted), before)
      }
    })
  }

  test('T67: routes that want no body take any content type and ignore what comes', async () => {
    for (const type of all) {
      const body = { 'content-type': type, 'content-length': '5' }
      const headers = { ...admin, ...body }
      const logout = await ask(port, 'POST /logout HTTP/1.1', body, '{"a":')
      assert.deepEqual([logout.status, logout.body], [200, '{"message":"Logged out"}'], type)
      assertHeaders(logout)
      const gone = await ask(port, 'DELETE /users/999999 HTTP/1.1', headers, '{"a":')
      assertRefusal(gone, 404, 'User not found', type)
      const live = await ask(port, 'GET /health/live HTTP/1.1', headers, '{"a":')
      assert.equal(live.status, 200, type)
    }
  })
})
