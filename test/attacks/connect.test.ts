import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { testApp } from '../app.ts'
import { preloaded } from '../faults/preload.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const host = 'Host: localhost\r\n'
const connectTo = `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`
const live = `GET /health/live HTTP/1.1\r\n${host}\r\n`
const login = JSON.stringify({ username: 'unknown', password: 'not the password' })
const slow = `POST /login HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${login.length}\r\n\r\n${login}`

/** Methods of RTSP, which Node's parser knows and no route can have. RFC 2326 section 10. */
const rtspMethods = [
  'DESCRIBE',
  'ANNOUNCE',
  'SETUP',
  'PLAY',
  'PAUSE',
  'TEARDOWN',
  'GET_PARAMETER',
  'SET_PARAMETER',
  'REDIRECT',
  'RECORD',
  'FLUSH',
]

const notFound: Readonly<Record<string, string>> = {
  'in HTTP/1.1': connectTo,
  'in HTTP/1.0': 'CONNECT example.org:443 HTTP/1.0\r\n\r\n',
  'that asks to close': rawRequest('CONNECT example.org:443 HTTP/1.1'),
  'without a Host': 'CONNECT example.org:443 HTTP/1.1\r\n\r\n',
  'to a path': `CONNECT /login HTTP/1.1\r\n${host}\r\n`,
  'with a body': `CONNECT example.org:443 HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello`,
  'with a body in chunks': `CONNECT example.org:443 HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'with what a tunnel would carry': `${connectTo}\x16\x03\x01\x02\x00\x01\x00`,
  'that expects a 100': `CONNECT example.org:443 HTTP/1.1\r\n${host}Expect: 100-continue\r\n\r\n`,
  'that asks for an upgrade too': `CONNECT example.org:443 HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
}

suite('CONNECT and methods that no route can have', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const { server } = app.app.server
  const failures = () => app.log.filter(({ event }) => event === 'authn_login_fail').length

  for (const [what, bytes] of Object.entries(notFound)) {
    test(`CONNECT ${what} is 404 in the contract's shape, and closed`, async () => {
      const { answers, text } = await exchange(port, bytes)
      assert.equal(answers.length, 1, text)
      for (const answer of answers) {
        assertRefusal(answer, 404, 'Route not found')
        assert.equal(answer.headers.connection, 'close')
      }
    })
  }

  test('connect in lower case is no method', async () => {
    const { answers } = await exchange(port, connectTo.replace('CONNECT', 'connect'))
    assert.equal(answers.length, 1)
    for (const answer of answers) assertRefusal(answer, 400, 'Bad request')
  })

  for (const method of rtspMethods) {
    test(`${method} of RTSP is 404 in the contract's shape, and closed`, async () => {
      const { answers, text } = await exchange(port, `${method} /login RTSP/1.0\r\n${host}\r\n`)
      assert.equal(answers.length, 1, text)
      for (const answer of answers) {
        assertRefusal(answer, 404, 'Route not found')
        assert.equal(answer.headers.connection, 'close')
      }
    })
  }

  test('a CONNECT behind other requests is answered last, and nothing behind it is served', async () => {
    const before = failures()
    const { answers } = await exchange(port, slow + live + connectTo + slow + live)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 200, 404],
    )
    const [first, , last] = answers
    assert.ok(first && last)
    assertRefusal(first, 401, 'Invalid credentials')
    assertRefusal(last, 404, 'Route not found')
    assert.equal(failures() - before, 1)
  })

  test('what comes behind a CONNECT in pieces of its own is not served either', async () => {
    const before = failures()
    const { answers } = await exchange(port, slow + connectTo, {
      opened: (socket) => {
        server.once('request', () => {
          socket.write(slow)
          socket.write('no HTTP at all\r\n\r\n')
          socket.write('x'.repeat(200_000))
        })
      },
    })
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 404],
    )
    assert.equal(failures() - before, 1)
  })

  test('nothing behind a request that is no proper HTTP is served', async () => {
    const before = failures()
    const twoHosts = `GET /health/live HTTP/1.1\r\n${host}${host}\r\n`
    for (const improper of [twoHosts, `GET /%zz HTTP/1.1\r\n${host}\r\n`]) {
      const { answers } = await exchange(port, improper + slow + live)
      assert.equal(answers.length, 1)
      for (const answer of answers) assertRefusal(answer, 400, 'Bad request')
    }
    assert.equal((await ask(port, 'GET /health/live HTTP/1.1')).status, 200)
    assert.equal(failures(), before)
  })

  test('a CONNECT behind a long answer waits for it, whole', async () => {
    const { authorization } = await app.bearer(app.admin)
    const name = 'n'.repeat(100)
    const row = { name, name_key: name, email: 'n@example.org', email_key: 'n@example.org' }
    for (let batch = 0; batch < 10; batch += 1) {
      await app.deps.db.insertInto('users').values(Array<typeof row>(1000).fill(row)).execute()
    }
    const listing = `GET /users HTTP/1.1\r\n${host}Authorization: ${authorization}\r\n\r\n`
    const { text } = await exchange(port, listing + connectTo)
    await app.deps.db.deleteFrom('users').where('name', '=', name).execute()
    const second = text.indexOf('HTTP/1.1 404')
    assert.ok(text.startsWith('HTTP/1.1 200'))
    assert.ok(text.slice(0, second).endsWith(']\r\n0\r\n\r\n'))
    assert.equal(text.split('"email"').length - 1, 10_001)
  })
})

suite('an upgrade that is not offered', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const upgrades = [
    'Connection: Upgrade\r\nUpgrade: websocket\r\n',
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
    'Connection: keep-alive, upgrade\r\nUpgrade: TLS/1.2, websocket\r\n',
    'Upgrade: websocket\r\n',
    'Connection: Upgrade\r\n',
  ]

  for (const fields of upgrades) {
    test(`the request is answered as any other: ${JSON.stringify(fields)}`, async () => {
      const plain = `GET /api/protected HTTP/1.1\r\n${host}${fields}\r\n`
      const isUpgrade = fields.includes('pgrade\r\nUpgrade') || fields.includes('Settings\r\nU')
      const ended = plain.replace(
        fields,
        `${fields.replace('Connection: ', 'Connection: close, ')}`,
      )
      const bytes = isUpgrade ? plain : ended.replace(host, `${host}Connection: close\r\n`)
      const { answers } = await exchange(port, bytes)
      assert.equal(answers.length, 1)
      for (const answer of answers) {
        assertRefusal(answer, 401, 'Authentication required')
        assert.equal(answer.headers.connection, 'close')
      }
    })
  }

  test('its body is read, and what follows it is not taken for a request', async () => {
    const before = await app.rows()
    for (const behind of ['\x81\x05hello', slow, live, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
      for (const [framing, body] of [
        ['Content-Length: 14', '{"mode":"odd"}'],
        ['Transfer-Encoding: chunked', 'e\r\n{"mode":"odd"}\r\n0\r\n\r\n'],
      ]) {
        const head = `POST /login HTTP/1.1\r\n${host}Content-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${framing}\r\n\r\n`
        const { answers, text } = await exchange(port, head + body + behind)
        assert.equal(answers.length, 1, text)
        const [answer] = answers
        assert.equal(answer?.status, 400)
        assert.equal(JSON.parse(answer?.body ?? '').error, 'Validation failed')
      }
    }
    assert.deepEqual(await app.rows(), before)
  })
})

suite('expectations', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const admin = await app.bearer(app.admin)
  const body = JSON.stringify({ name: 'Ann', email: 'ann@example.org' })
  const toUsers = (expect: string, more: object = admin) => ({
    'content-type': 'application/json',
    'content-length': String(body.length),
    expect,
    ...more,
  })

  for (const expect of [
    '100-continue',
    '100-Continue',
    '100-continue, 100-CONTINUE',
    ' ,100-continue',
  ]) {
    test(`"${expect}" is answered 100, and the body is read`, async () => {
      const head = rawRequest('POST /users HTTP/1.1', toUsers(expect))
      const { text } = await exchange(port, head, {
        opened: (socket) => socket.once('data', () => socket.write(body)),
      })
      assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
    })
  }

  test('two fields that expect the same are one expectation', async () => {
    const head = rawRequest('POST /users HTTP/1.1', toUsers('100-continue'))
    const doubled = head.replace(/expect: .*\r\n/, '$&$&')
    const { text } = await exchange(port, doubled, {
      opened: (socket) => socket.once('data', () => socket.write(body)),
    })
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/)
  })

  for (const expect of [
    'x',
    '100-continue, x',
    'x-100-continue',
    '100-continue;q=1',
    '"100-continue"',
    '200-ok',
    '100',
    '100-continue 100-continue',
  ]) {
    test(`"${expect}" is 417, and nothing is done`, async () => {
      const before = await app.rows()
      const answer = await ask(port, 'POST /users HTTP/1.1', toUsers(expect), body)
      assertRefusal(answer, 417, 'Expectation failed')
      assert.equal(answer.headers.connection, 'close')
      const pipelined = rawRequest('POST /users HTTP/1.1', { ...toUsers(expect), Connection: 'x' })
      const { answers } = await exchange(port, live + pipelined + body + slow)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 417],
      )
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('an empty expectation is none', async () => {
    const answer = await ask(port, 'POST /users HTTP/1.1', toUsers(''), body)
    assert.equal(answer.status, 201)
  })

  test('a refusal takes the place of the 100, and closes: the body may come or not', async () => {
    const before = await app.rows()
    const refusals: [string, object, number, string][] = [
      ['POST /users HTTP/1.1', { ...toUsers('100-continue', {}) }, 401, 'Authentication required'],
      ['POST /nowhere HTTP/1.1', toUsers('100-continue'), 404, 'Route not found'],
      [
        'POST /users HTTP/1.1',
        { ...toUsers('100-continue'), 'content-length': '1048577' },
        413,
        'Request body too large',
      ],
    ]
    for (const [line, headers, status, error] of refusals) {
      const head = rawRequest(line, { ...headers, Connection: 'keep-alive' })
      const { answers, text } = await exchange(port, head)
      assert.ok(!text.includes(' 100 '), text)
      assert.equal(answers.length, 1)
      for (const answer of answers) {
        assertRefusal(answer, status, error)
        assert.equal(answer.headers.connection, 'close')
      }
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('in HTTP/1.0 it is ignored', async () => {
    const answer = await ask(port, 'POST /users HTTP/1.0', toUsers('100-continue'), body)
    assert.equal(answer.status, 201)
  })
})

suite('what Node drops by itself', async () => {
  const app = await testApp()
  await app.listen()
  const { server } = app.app.server

  test('the service sets no limit at which Node drops connections or requests unanswered', () => {
    assert.equal(server.maxConnections ?? null, null)
    assert.equal(server.maxRequestsPerSocket, 0)
  })
})

suite('the process outlives them', async () => {
  const service = await startService([process.execPath, 'src/main.ts'], { NODE_ENV: 'test' })
  const port = Number(new URL(service.url).port)

  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume()
    await once(socket, 'connect')
    socket.write(bytes)
    return socket
  }

  test('200 at once, of which each goes its own way: FIN, reset, before and after the answer', async () => {
    const ends: ((socket: Socket) => unknown)[] = [
      (socket) => socket.end(),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.destroy(),
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      (socket) => socket.once('data', () => socket.write('x')),
    ]
    const starts = [connectTo, slow + connectTo, `${connectTo}x`, `PLAY / RTSP/1.0\r\n${host}\r\n`]
    const sockets = await Promise.all(
      Array.from({ length: 200 }, (_, index) => open(starts[index % starts.length] ?? '')),
    )
    await Promise.all(
      sockets.map((socket, index) => {
        const closed = once(socket, 'close')
        ends[index % ends.length]?.(socket)
        return closed
      }),
    )
    assert.equal((await ask(port, 'GET /health/live HTTP/1.1')).status, 200)
    assert.doesNotMatch(service.output(), /uncaughtException|unhandledRejection|"level":"error"/)
  })

  test('SIGTERM ends it with exit code 0 while clients hold their connections open', async () => {
    const unfinished = await open(`GET /health/live HTTP/1.1\r\n${host}X: `)
    const held = await Promise.all(
      [connectTo, 'no HTTP at all\r\n\r\n', `PLAY / RTSP/1.0\r\n${host}\r\n`].map((bytes) => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {}).write(bytes)
        return once(socket, 'data').then(() => socket)
      }),
    )
    assert.equal(await service.stop(), 0)
    for (const socket of [...held, unfinished]) socket.destroy()
    service.remove()
    assert.doesNotMatch(service.output(), /uncaughtException|unhandledRejection|"level":"error"/)
  })
})

suite('HOST=localhost, where the name has two addresses', async () => {
  const twoAddresses = `
    import dns from 'node:dns'
    import promises from 'node:dns/promises'
    const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
    const { lookup } = dns
    dns.lookup = (name, options, done) => {
      if (name !== 'localhost') lookup(name, options, done)
      else if (options.all) done(null, both)
      else done(null, both[0].address, both[0].family)
    }
    promises.lookup = async () => both[0]`
  const service = await startService(
    [process.execPath, ...preloaded(twoAddresses), 'src/main.ts'],
    { NODE_ENV: 'test', HOST: 'localhost' },
  )
  const port = Number(new URL(service.url).port)

  test('one of them is served, as ever, and no other server is open', async () => {
    for (const [bytes, status, error] of [
      [connectTo, 404, 'Route not found'],
      ['no HTTP at all\r\n\r\n', 400, 'Bad request'],
    ] as const) {
      const { answers } = await exchange(port, bytes)
      assert.equal(answers.length, 1)
      for (const answer of answers) assertRefusal(answer, status, error)
    }
    const [refusal] = await once(connect(port, '127.0.0.2'), 'error')
    assert.equal(refusal.code, 'ECONNREFUSED')
    assert.equal(await service.stop(), 0)
    service.remove()
  })
})
