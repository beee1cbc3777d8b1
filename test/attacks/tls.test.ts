import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { prepareConnections, startAnswer } from '../../src/core/http/connections/connections.ts'
import { maxWaitingRequests } from '../../src/core/http/connections/pipelining.ts'
import { type TestApp, testApp } from '../app.ts'
import { seedPosts } from '../posts.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'
import type { Certificate } from '../self-signed.ts'
import { localCertificate, tlsFolder } from '../tls-files.ts'
import { until } from '../until.ts'

const live = rawRequest('GET /health/live HTTP/1.1')

/** Opens a connection; answers the socket, or the code of the error of its handshake. */
async function shake(port: number, more: ConnectionOptions = {}): Promise<TLSSocket | string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...more })
  try {
    await once(socket, 'secureConnect')
    return socket
  } catch (error) {
    return (error as Error & { code: string }).code // as errors of TLS are
  }
}

async function opened(port: number, more: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = await shake(port, more)
  assert.ok(typeof socket !== 'string', String(socket))
  after(() => socket.destroy())
  return socket
}

/** Sends a request on an open connection and answers the status. */
async function statusOn(socket: Socket): Promise<string> {
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [text] = await once(socket, 'data')
  return String(text).slice(0, 12)
}

suite('HTTPS of the service itself', async () => {
  const own = localCertificate()
  const app = await testApp(tlsFolder(own).env)
  const { port, url } = await app.listen()
  const { server } = app.app.server

  test('a login, a session and a bearer token work over a verified connection', async () => {
    assert.equal(url, `https://127.0.0.1:${port}`)
    const { username, password } = app.admin
    const send = (path: string, headers: Record<string, string>, body = '') =>
      new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
        (resolve, reject) => {
          const agent = new Agent({ ca: own.cert, keepAlive: false })
          const sent = request(
            {
              port,
              host: 'localhost',
              family: 4,
              path,
              method: body ? 'POST' : 'GET',
              headers,
              agent,
            },
            async (answer) => {
              const text = Buffer.concat(await answer.toArray()).toString()
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text })
            },
          )
          sent.on('error', reject).end(body)
        },
      )
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const login = await send('/login', form, new URLSearchParams({ username, password }).toString())
    assert.equal(login.status, 200)
    assertHeaders(login)
    const [cookie = ''] = login.headers['set-cookie'] as string[] // a login sets it
    assert.match(cookie, /; Secure/)
    const greeting = await send('/api/protected', { cookie: cookie.split(';')[0] ?? '' })
    assert.deepEqual(
      [greeting.status, JSON.parse(greeting.body)],
      [200, { message: 'Hello, admin' }],
    )
    const me = await send('/api/me', await app.bearer(app.admin))
    assert.deepEqual([me.status, JSON.parse(me.body).sub], [200, '1'])
  })

  const offers: readonly [string, ConnectionOptions, string | RegExp][] = [
    ['TLS 1.3', { minVersion: 'TLSv1.3' }, 'TLSv1.3 TLS_AES_128_GCM_SHA256 http/1.1'],
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }, 'TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256 http/1.1'],
    [
      'TLS 1.1',
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    ],
    [
      'suites without authenticated encryption',
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA' },
      /ALERT_HANDSHAKE_FAILURE$/,
    ],
    ['HTTP/2 alone', { ALPNProtocols: ['h2'] }, /ALERT_NO_APPLICATION_PROTOCOL$/],
  ]
  for (const [what, offer, wanted] of offers) {
    test(`a client that offers ${what}: ${wanted}`, async () => {
      const socket = await shake(port, { ALPNProtocols: ['http/1.1', 'h2'], ...offer })
      if (typeof socket === 'string') assert.match(socket, new RegExp(wanted))
      else {
        const { name } = socket.getCipher()
        assert.equal(`${socket.getProtocol()} ${name} ${socket.alpnProtocol}`, wanted)
        socket.destroy()
      }
    })
  }

  test('a client cannot renegotiate', async () => {
    const socket = await opened(port, { maxVersion: 'TLSv1.2' })
    const error = new Promise<Error | null>((resolve) => socket.renegotiate({}, resolve))
    const lost = once(socket, 'error').then(([reason]) => reason as Error)
    assert.match(String(await Promise.race([error, lost])), /no[_ ]renegotiation/i)
  })

  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
    test(`${method} in plain HTTP is refused in plain HTTP, and credentials are not looked at`, async () => {
      const before = await app.rows()
      const headers = {
        ...app.basic({ ...app.admin, password: 'wrong' }),
        Connection: 'keep-alive',
      }
      const { answers } = await exchange(port, rawRequest(`${method} /users HTTP/1.1`, headers))
      assert.equal(answers.length, 1)
      for (const answer of answers) {
        assertRefusal(answer, 403, 'HTTPS required')
        assert.equal(answer.headers.connection, 'close')
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('what is neither TLS nor HTTP, and a handshake that is cut off, end the connection alone', async () => {
    const hello = Buffer.from('16030100050100000103', 'hex')
    for (const bytes of ['no TLS at all', `\x16\x03\x01\xff\xff${'x'.repeat(100)}`, hello]) {
      await exchange(port, bytes, { opened: (socket) => void socket.end() })
      await exchange(port, bytes, { opened: (socket) => void socket.resetAndDestroy() })
    }
    const { answers } = await exchange(port, live, { tls: true })
    assert.equal(answers[0]?.status, 200)
    assert.deepEqual(
      app.log.filter(({ level }) => level === 'error'),
      [],
    )
  })

  test('damaged records on an open connection end it alone', async () => {
    const transport = connectTcp({ port, host: '127.0.0.1' })
    const damaged = await opened(port, { socket: transport })
    const closed = once(damaged, 'close').catch(() => once(damaged, 'close'))
    transport.write('\x17\x03\x03\x00\x05garbage')
    await closed
    const { answers } = await exchange(port, live, { tls: true })
    assert.equal(answers[0]?.status, 200)
  })

  test('a handshake has a limit of 15 seconds or less, at which the connection ends', async () => {
    const [limit] = Object.getOwnPropertySymbols(server).filter(
      ({ description }) => description === 'handshake-timeout',
    )
    assert.ok(limit)
    const limits = server as unknown as Record<symbol, number>
    assert.ok((limits[limit] ?? 0) > 0 && (limits[limit] ?? 0) <= 15_000)
    const before = limits[limit]
    limits[limit] = 50 // the same machinery with its limit shortened
    assert.deepEqual(await exchange(port, ''), { text: '', answers: [] }) // it ends: this resolves
    limits[limit] = before ?? 0
  })

  test('errors of the parser are answered like those of plain HTTP', async () => {
    const bad: readonly [string, number, string][] = [
      ['no HTTP at all\r\n\r\n', 400, 'Bad request'],
      [
        rawRequest('GET / HTTP/1.1', { X: 'x'.repeat(17_000) }),
        431,
        'Request header fields too large',
      ],
      [rawRequest('CONNECT example.org:443 HTTP/1.1'), 404, 'Route not found'],
      [
        `${rawRequest('GET /health/live HTTP/1.1', { Connection: 'Upgrade', Upgrade: 'h2c' })}x`,
        200,
        '',
      ],
      [
        rawRequest('POST /login HTTP/1.1', { Expect: 'x', 'Content-Length': '1' }, 'x'),
        417,
        'Expectation failed',
      ],
      ['GET / HTTP/1.1\r\n\r\n', 400, 'Bad request'],
    ]
    for (const [bytes, status, error] of bad) {
      const { answers } = await exchange(port, bytes, { tls: true })
      assert.equal(answers.length, 1, bytes)
      for (const answer of answers) {
        if (error) assertRefusal(answer, status, error)
        assert.equal(answer.headers.connection, 'close')
      }
    }
  })

  test('a refusal of a body that is still being sent reaches its client', async () => {
    const head = rawRequest('POST /login HTTP/1.1', {
      'Content-Type': 'application/json',
      'Content-Length': '2000000',
    })
    const { answers } = await exchange(port, head + ' '.repeat(2_000_000), { tls: true })
    for (const answer of answers) assertRefusal(answer, 413, 'Request body too large')
    assert.equal(answers.length, 1)
  })

  test('too slow a request is 408, on a connection that is over TLS', async () => {
    const limits = { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50 }
    const slow = await testApp(tlsFolder().env)
    Object.assign(slow.app.server.server, limits) // as in http-slow.test.ts
    const { port: other } = await slow.listen()
    const part = 'POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n'
    for (const bytes of [part, `${part}Content-Type: application/json\r\n\r\n{`]) {
      const { answers } = await exchange(other, bytes, { tls: true })
      for (const answer of answers) assertRefusal(answer, 408, 'Request timeout')
      assert.equal(answers.length, 1)
    }
  })

  test('pipelined requests are answered in order, and too many of them end the connection', async () => {
    const get = (path: string, Connection = 'keep-alive') =>
      rawRequest(`GET ${path} HTTP/1.1`, { Connection })
    const many = get('/health/live').repeat(maxWaitingRequests - 1) + get('/nowhere')
    const { answers } = await exchange(port, many + get('/health/live', 'close'), { tls: true })
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses, [...Array(maxWaitingRequests - 1).fill(200), 404, 200])
    // The first takes a hash; what comes behind it waits.
    const first = rawRequest('GET /users HTTP/1.1', {
      ...app.basic(app.admin),
      Connection: 'keep-alive',
    })
    const small = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(400)
    assert.equal((await exchange(port, first + small, { tls: true })).text, '')
  })
})

/** The certificate that a new connection is shown. */
async function shown(port: number, more: ConnectionOptions = {}): Promise<string> {
  const socket = await opened(port, more)
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return raw.toString('base64')
}

const derOf = ({ cert }: Pick<Certificate, 'cert'>) => cert.replace(/-----[^-]+-----|\n/g, '')

async function renew(app: TestApp): Promise<void> {
  await app.app.jobs.find(({ name }) => name === 'certificate')?.run()
}

const told = (app: TestApp, from = 0) =>
  app.log.slice(from).map(({ level, msg, mistakes }) => [level, msg, ...((mistakes as []) ?? [])])

suite('a certificate that is renewed', async () => {
  const [first, second, third, fourth] = [0, 1, 2, 3].map(() => localCertificate()) as [
    Certificate,
    Certificate,
    Certificate,
    Certificate,
  ]
  const files = tlsFolder(first)
  const app = await testApp(files.env)
  const { port } = await app.listen()
  const renewed = ['info', 'a renewed TLS certificate is in use']
  const kept = ['warn', 'the TLS files cannot be used as they are: the certificate stays']

  test('is looked for every ten seconds', () => {
    const { everyMs } = app.app.jobs.find(({ name }) => name === 'certificate') ?? {}
    assert.equal(everyMs, 10_000)
  })

  test('is shown from then on, and open connections go on', async () => {
    const open = await opened(port)
    const ticket = new Promise<Buffer>((resolve) => open.once('session', resolve))
    assert.equal(await statusOn(open), 'HTTP/1.1 200')
    const from = app.log.length
    await renew(app)
    assert.equal(await shown(port), derOf(first))
    assert.deepEqual(told(app, from), [])
    files.put(second)
    assert.equal(await shown(port), derOf(first))
    await renew(app)
    await renew(app)
    assert.deepEqual(told(app, from), [renewed])
    assert.equal(await shown(port), derOf(second))
    assert.equal(await statusOn(open), 'HTTP/1.1 200')
    assert.equal(open.getPeerCertificate().raw.toString('base64'), derOf(first))
    // A client that resumes its session would see no new certificate.
    const again = await opened(port, { session: await ticket })
    assert.equal(again.isSessionReused(), false)
  })

  test('keeps the protocols and suites', async () => {
    const old = {
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const
    assert.equal(await shake(port, old), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    assert.match(String(await shake(port, { ALPNProtocols: ['h2'] })), /NO_APPLICATION_PROTOCOL/)
  })

  for (const [what, half, rest] of [
    ['the certificate before the key', { cert: third.cert }, { key: third.key }],
    ['the key before the certificate', { key: fourth.key }, { cert: fourth.cert }],
  ] as const) {
    test(`${what}: the one before stays in use, once told, until both are there`, async () => {
      const from = app.log.length
      const before = await shown(port)
      files.put(half)
      await renew(app)
      await renew(app)
      assert.equal(await shown(port), before)
      const mistake = 'TLS_KEY_FILE does not fit the first certificate of TLS_CERT_FILE'
      assert.deepEqual(told(app, from), [[...kept, mistake]])
      files.put(rest)
      await renew(app)
      assert.deepEqual(told(app, from).slice(1), [renewed])
      assert.notEqual(await shown(port), before)
    })
  }

  test('files that are gone, damaged or back again: told once each, and nothing else happens', async () => {
    const from = app.log.length
    const before = await shown(port)
    unlinkSync(files.keyFile)
    await renew(app)
    await renew(app)
    files.put({ key: 'no key' })
    await renew(app)
    await renew(app)
    files.put({ key: fourth.key })
    await renew(app)
    assert.equal(await shown(port), before)
    assert.deepEqual(
      told(app, from).map(([level, msg, mistake]) => [level, msg, String(mistake).slice(0, 27)]),
      [
        [...kept, 'TLS_KEY_FILE cannot be read'],
        [...kept, 'TLS_KEY_FILE must hold a pr'],
      ],
    )
  })

  test('a pipe in place of a file holds up neither the service nor its end', async () => {
    const from = app.log.length
    unlinkSync(files.certFile)
    assert.equal(spawnSync('mkfifo', [files.certFile]).status, 0)
    await renew(app) // it would wait for a writer
    const mistake = `TLS_CERT_FILE cannot be read: ${files.certFile} is no file`
    assert.deepEqual(told(app, from), [[...kept, mistake]])
    files.put({ cert: fourth.cert })
    await renew(app)
  })

  test('is taken up with its warnings', async () => {
    const from = app.log.length
    files.put(third)
    chmodSync(files.keyFile, 0o644)
    await renew(app)
    assert.deepEqual(told(app, from), [
      renewed,
      ['warn', `TLS_KEY_FILE: ${files.keyFile} can be read by other users of this machine`],
    ])
  })

  test('behind links, of which one is exchanged (Kubernetes)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
    after(() => rmSync(folder, { recursive: true }))
    const at = (name: string) => join(folder, name)
    const release = (name: string, { cert, key }: Certificate) => {
      writeFileSync(at(`${name}.crt`), cert)
      writeFileSync(at(`${name}.key`), key, { mode: 0o600 })
    }
    const link = (to: string, from: string) => {
      symlinkSync(to, at('new'))
      renameSync(at('new'), at(from))
    }
    release('1', first)
    release('2', second)
    for (const kind of ['crt', 'key']) link(`1.${kind}`, `tls.${kind}`)
    const linked = await testApp({
      ...files.env,
      TLS_CERT_FILE: at('tls.crt'),
      TLS_KEY_FILE: at('tls.key'),
    })
    const { port: other } = await linked.listen()
    assert.equal(await shown(other), derOf(first))
    link('2.crt', 'tls.crt')
    await renew(linked)
    assert.equal(await shown(other), derOf(first))
    link('2.key', 'tls.key')
    await renew(linked)
    assert.equal(await shown(other), derOf(second))
  })
})

suite('a certificate that is not renewed', () => {
  test('is told of once a day from 14 days before its end on, until a new one is there', async () => {
    const files = tlsFolder(localCertificate('260131')) // the clock begins at 15 January, noon
    const app = await testApp(files.env)
    const days = async (count: number) => {
      const from = app.log.length
      for (let hour = 0; hour < 24 * count; hour += 1) {
        app.clock.advance(3600)
        await renew(app)
      }
      return app.log.slice(from).map(({ level, msg }) => `${level} ${msg}`)
    }
    const expires =
      'warn TLS_CERT_FILE: the certificate expires at 2026-01-31T00:00:00.000Z, within'
    assert.deepEqual(await days(1), [])
    assert.deepEqual(await days(2), [
      `${expires} 14 days: renew it`,
      `${expires} 13 days: renew it`,
    ])
    assert.equal((await days(11)).length, 11)
    const expired = 'warn TLS_CERT_FILE: the certificate has expired at 2026-01-31T00:00:00.000Z'
    assert.deepEqual(await days(2), [`${expires} 1 day: renew it`, `${expired}: clients refuse it`])
    files.put(localCertificate())
    assert.deepEqual(await days(2), ['info a renewed TLS certificate is in use'])
  })

  test('an expired one starts, with a warning: a renewed one needs no restart', async () => {
    const files = tlsFolder(localCertificate('251231'))
    const app = await testApp(files.env)
    assert.deepEqual(told(app).slice(0, 1), [
      [
        'warn',
        'TLS_CERT_FILE: the certificate has expired at 2025-12-31T00:00:00.000Z: clients refuse it',
      ],
    ])
    const { port } = await app.listen()
    files.put(localCertificate())
    await renew(app)
    assert.equal((await exchange(port, live, { tls: true })).answers[0]?.status, 200)
  })
})

suite('connections over TLS', () => {
  test('a reader that does not read is ended after 15 seconds', async () => {
    const app = await testApp(tlsFolder().env)
    const { server } = app.app.server
    await seedPosts(app, 100)
    await app.deps.db
      .updateTable('posts')
      .set({ body: '😀'.repeat(20_000) })
      .execute()
    const headers = await app.bearer(app.admin)
    const { port } = await app.listen()
    const connected = once(server, 'secureConnection') as Promise<[TLSSocket]> // as node:tls has it
    const client = await opened(port)
    client.pause()
    const reset = once(client, 'error')
    const closed = once(client, 'close').catch(() => {})
    client.write(rawRequest('GET /api/posts HTTP/1.1', headers))
    const [service] = await connected
    let before = -1
    let same = 0
    await until(() => {
      same = service.writableLength > 0 && service.bytesWritten === before ? same + 1 : 0
      before = service.bytesWritten
      return same > 100
    })
    for (let passed = 0; passed < 14; passed += 1) await second()
    assert.equal(service.destroyed, false)
    for (let more = 0; more < 2 && !service.destroyed; more += 1) await second()
    assert.equal(service.destroyed, true)
    client.resume()
    const [error] = await reset // without the last record of TLS, so that what is read is not whole
    assert.equal((error as { code?: string }).code, 'ECONNRESET')
    await closed
    assert.equal(app.log.at(-1)?.msg, 'ended: their answers were not read')

    async function second(): Promise<void> {
      app.clock.advance(1)
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    }
  })

  test('a stop answers what was accepted, and waits for no idle client', async () => {
    const app = await testApp(tlsFolder().env)
    const { port } = await app.listen()
    const idle = await opened(port)
    assert.equal(await statusOn(idle), 'HTTP/1.1 200')
    const ended = once(idle, 'close')
    const busy = await opened(port)
    busy.setEncoding('latin1')
    const { username, password } = app.admin
    const body = JSON.stringify({ username, password })
    const type = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
    busy.write(rawRequest('POST /login HTTP/1.1', { ...type, Connection: 'keep-alive' }))
    await once(app.app.server.server, 'request')
    const stopped = app.close()
    busy.write(body)
    const [text] = await once(busy, 'data')
    assert.match(text, /^HTTP\/1\.1 200 /)
    assert.match(text, /\r\nconnection: close\r\n/i)
    await Promise.all([stopped, ended])
  })

  test('a stop ends handshakes that do not go on, and no answer that is under way', async () => {
    const { key, cert } = localCertificate()
    const served = Promise.withResolvers<ServerResponse>()
    const server = createServer({ key, cert }, (_sent, response) => {
      startAnswer(response)
      served.resolve(response)
    })
    const connections = prepareConnections(server)
    const accepted = once(server, 'connection')
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const silent = connectTcp({ port, host: '127.0.0.1' })
    const ended = once(silent, 'close')
    await accepted
    const busy = await opened(port)
    busy.write(live)
    const response = await served.promise
    connections.endUnanswered()
    await ended
    response.end('answered')
    const [text] = await once(busy, 'data')
    assert.match(String(text), /answered$/)
    busy.destroy()
    server.close()
  })
})
