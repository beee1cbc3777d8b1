import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { cpuOf } from '../clock.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'

const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const jsonType = { 'content-type': 'application/json' }
const login = JSON.stringify({ username: 'unknown', password: 'not the password' })

suite('forms', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' })
  const right = `username=${app.admin.username}&password=${encodeURIComponent(app.admin.password)}`
  const send = (body: string) => app.call('POST', '/login', { headers: formType, body })

  test('100 fields are read, one more is 400, and nothing changed', async () => {
    const before = await app.rows()
    assertRefusal(await send(`${right}${'&a=1'.repeat(99)}`), 400, 'Invalid request body')
    assertRefusal(await send(`${'&a'.repeat(101)}`), 400, 'Invalid request body')
    assertRefusal(await send(`${right}${'&a'.repeat(99)}`), 400, 'Invalid request body')
    assert.deepEqual(await app.rows(), before)
    assert.equal((await send(`${right}${'&a=1'.repeat(98)}`)).status, 200)
  })

  test('what stands between two & counts as a field only if it is something', async () => {
    assert.equal((await send(`${'&'.repeat(1000)}${right}${'&'.repeat(1000)}`)).status, 200)
  })

  test('16 KiB are read, one byte more is 413, and nothing changed', async () => {
    const padded = (size: number) => `${right}&a=`.padEnd(size, 'x')
    const before = await app.rows()
    assertRefusal(await send(padded(16_385)), 413, 'Request body too large')
    assertRefusal(await send('a&'.repeat(524_288)), 413, 'Request body too large')
    assert.deepEqual(await app.rows(), before)
    assert.equal((await send(padded(16_384))).status, 200)
  })

  test('the last of a name counts', async () => {
    const doubled = `username=unknown&${right}`
    assert.equal((await send(doubled)).status, 200)
    assertRefusal(await send(`${right}&username=unknown`), 401, 'Invalid credentials')
  })

  /** The least work of several sends, so that other load of the machine does not count. */
  const leastWork = async (body: string) => {
    const works: number[] = []
    for (let sent = 0; sent < 5; sent += 1) works.push((await cpuOf(() => send(body))).cpuMs)
    return Math.min(...works)
  }

  for (const [what, piece, status, error] of [
    ['a&', 'a&', 400, 'Invalid request body'],
    ['&', '&', 401, 'Invalid credentials'],
    ['percent signs', '%', 401, 'Invalid credentials'],
    ['broken escapes', '%e', 401, 'Invalid credentials'],
    ['one field', 'a=', 401, 'Invalid credentials'],
  ] as const) {
    test(`a megabyte of ${what} costs no more than any refusal`, async () => {
      const whole = piece.repeat(1_048_576 / piece.length)
      assertRefusal(await send(whole), 413, 'Request body too large')
      const most = whole.slice(0, 16_384)
      assertRefusal(await send(most), status, error)
      const usual = await leastWork(`username=unknown&password=${'x'.repeat(50)}`)
      for (const body of [whole, most]) {
        const work = await leastWork(body)
        assert.ok(work < 20 * usual, `${work} ms, where any refusal takes ${usual} ms`)
      }
    })
  }
})

suite('routes that take a few fields', async () => {
  const app = await testApp()
  const headers = { ...(await app.bearer(app.admin)), ...jsonType }
  const few: readonly [string, string][] = [
    ['POST', '/login'],
    ['POST', '/refresh'],
    ['PUT', '/api/account/password'],
    ['POST', '/api/account/totp'],
    ['PUT', '/api/account/totp'],
    ['DELETE', '/api/account/totp'],
    ['POST', '/api/account/recovery-codes'],
    ['POST', '/api/account/identities'],
    ['PUT', '/api/user/account/password'],
    ['POST', '/api/admin/accounts'],
    ['PUT', '/api/admin/accounts/admin'],
    ['POST', '/api/admin/tokens/revoke'],
    ['POST', '/api/admin/explain'],
  ]
  for (const [method, path] of few) {
    test(`${method} ${path} reads 16 KiB, and refuses more with 413`, async () => {
      const before = await app.rows()
      const body = Buffer.alloc(16_385, ' ')
      assertRefusal(await app.call(method, path, { headers, body }), 413, 'Request body too large')
      const atLimit = await app.call(method, path, { headers, body: body.subarray(1) })
      assert.equal(atLimit.status, 400)
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('BODY_LIMIT_BYTES below that holds for them too', async () => {
    const small = await testApp({ BODY_LIMIT_BYTES: '1024' })
    const tooLarge = await small.call('POST', '/login', {
      headers: jsonType,
      body: ' '.repeat(1025),
    })
    assertRefusal(tooLarge, 413, 'Request body too large')
    await small.close()
  })
})

suite('the memory for bodies', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' })
  const { port } = await app.listen()
  const part = 'x'.repeat(15_000)
  const head = `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16384\r\n\r\n`
  const big = rawRequest(
    'POST /login HTTP/1.1',
    { ...jsonType, 'content-length': '16000' },
    login.padEnd(16_000),
  )

  /** Connections that have sent most of a body, as long as one is let in. */
  async function fill(count: number): Promise<Socket[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(port, '127.0.0.1')
          .on('error', () => {})
          .resume()
        await once(socket, 'connect')
        socket.write(head + part)
        return socket
      }),
    )
  }
  const bigLogin = async () => (await exchange(port, big)).answers

  const ends: Readonly<Record<string, (socket: Socket) => void>> = {
    'are reset': (socket: Socket) => void socket.resetAndDestroy(),
    'close in the middle': (socket: Socket) => void socket.end(),
    'send the rest': (socket: Socket) => void socket.write('x'.repeat(1384)),
  }
  for (const [how, end] of Object.entries(ends)) {
    test(`full of bodies without credentials, it refuses larger ones until the others ${how}`, async () => {
      const before = await app.rows()
      const held = await fill(300)
      await until(async () => (await bigLogin())[0]?.status === 503)
      const [refused] = await bigLogin()
      assert.ok(refused)
      assertRefusal(refused, 503, 'Service unavailable')
      assert.equal(refused.headers['retry-after'], '1')
      assert.equal(refused.headers.connection, 'close')
      // Logins of the usual size and authenticated callers are not affected.
      const usual = await ask(
        port,
        'POST /login HTTP/1.1',
        { ...jsonType, 'content-length': String(login.length) },
        login,
      )
      assertRefusal(usual, 401, 'Invalid credentials')
      const closed = Promise.all(held.map((socket) => socket.closed || once(socket, 'close')))
      for (const socket of held) end(socket)
      if (how !== 'send the rest') await closed
      await until(async () => (await bigLogin())[0]?.status === 401)
      for (const socket of held) socket.destroy()
      await closed
      assert.deepEqual((await app.rows()).sessions, before.sessions)
      const errors = app.log.filter(({ level }) => level === 'error')
      assert.deepEqual(errors, [])
    })
  }

  test('100 bodies of 1 MiB at once are 413 each, and the caller can read that', async () => {
    const body = 'x'.repeat(1_048_576)
    const bytes = Buffer.from(
      rawRequest(
        'POST /login HTTP/1.1',
        { ...jsonType, 'content-length': String(body.length) },
        body,
      ),
    )
    const exchanges = await Promise.all(Array.from({ length: 100 }, () => exchange(port, bytes)))
    for (const { answers } of exchanges) {
      assert.equal(answers.length, 1)
      for (const answer of answers) assertRefusal(answer, 413, 'Request body too large')
    }
  })
})

suite('many bodies on one connection', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' })

  test('are read one after another, with one listener for the end of it', async () => {
    const { port } = await app.listen()
    const warnings: string[] = []
    const note = (warning: Error) => void warnings.push(warning.name)
    process.on('warning', note)
    const one = `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${login.length}\r\n`
    const bytes = `${`${one}\r\n${login}`.repeat(30)}${one}Connection: close\r\n\r\n${login}`
    const { answers } = await exchange(port, bytes)
    process.off('warning', note)
    assert.equal(answers.length, 31)
    for (const answer of answers) assertRefusal(answer, 401, 'Invalid credentials')
    assert.deepEqual(warnings, [])
  })
})

suite('logins whose caller is gone', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' })
  const { port } = await app.listen()
  const requests = [
    'POST /login HTTP/1.1\r\nHost: localhost\r\n\r\n',
    `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${login.length}\r\n\r\n${login}`,
    `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n${login}`,
    `POST /refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    'POST /logout HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic eDp4\r\n\r\n',
    'GET /users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic eDp4\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n',
  ]

  test('its attempts are counted for the address that it came from', async () => {
    const before = app.log.length
    const { server } = app.app.server
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(requests[2]?.slice(0, -1) ?? '')
    const [request] = await once(server, 'request')
    socket.write(login.slice(-1).padEnd(1000 - login.length + 1))
    await once(request, 'end')
    socket.resetAndDestroy()
    const failure = () => app.log.slice(before).find(({ event }) => event === 'authn_login_fail')
    await until(() => failure() !== undefined)
    assert.equal(failure()?.address, '127.0.0.1')
  })

  test('a reset right behind the request is no failure of the service', async () => {
    for (const bytes of requests) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const socket = connect(port, '127.0.0.1').on('error', () => {})
          await once(socket, 'connect')
          socket.write(bytes)
          const closed = once(socket, 'close')
          socket.resetAndDestroy()
          await closed
        }),
      )
    }
    assert.equal((await ask(port, 'GET /health/live HTTP/1.1')).status, 200)
    const errors = app.log.filter(({ level }) => level === 'error')
    assert.deepEqual(errors, [])
  })
})
