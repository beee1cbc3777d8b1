import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { testApp } from '../app.ts'
import { ask, exchange } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const toLive = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n'
const toLogin = 'POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const toUpgrade = `${toLogin}Connection: Upgrade\r\nUpgrade: h2c\r\n`

suite('slow clients', async () => {
  const app = await testApp()
  const { server } = app.app.server

  test('T65: headers, whole requests and idle connections have limits of 15 seconds or less', () => {
    const { connectionsCheckingInterval } = server as { connectionsCheckingInterval?: number }
    assert.ok(server.headersTimeout > 0 && server.headersTimeout <= 15_000)
    assert.ok(server.requestTimeout > 0 && server.requestTimeout <= 15_000)
    assert.ok(connectionsCheckingInterval && connectionsCheckingInterval <= 1000)
    assert.ok(server.keepAliveTimeout > 0)
  })

  test('T65: a client that is too slow gets 408 and is disconnected, while others are served', async () => {
    // The same machinery with its three limits shortened.
    const limits = { headersTimeout: 500, requestTimeout: 700, connectionsCheckingInterval: 50 }
    Object.assign(server, limits)
    const { port } = await app.listen()
    const drip = (socket: Socket) => {
      const timer = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(timer))
    }
    const idle = Array.from({ length: 200 }, () => exchange(port, ''))
    const slow = [
      exchange(port, toLive),
      exchange(port, `${toLive}X: `, { opened: drip }),
      exchange(port, `${toLogin}Content-Length: 10000\r\n\r\n{`),
      exchange(port, `${toLogin}Content-Length: 10000\r\n\r\n{`, { opened: drip }),
      exchange(port, `${toLogin}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
      exchange(port, `${toUpgrade}Content-Length: 10000\r\n\r\n{`),
      exchange(port, `${toUpgrade}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
      exchange(port, `${toUpgrade}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    ]
    assert.equal((await ask(port, 'GET /health/live HTTP/1.1')).status, 200)
    for (const { answers } of await Promise.all(slow)) {
      assert.equal(answers.length, 1)
      for (const answer of answers) {
        assertRefusal(answer, 408, 'Request timeout')
        assert.equal(answer.headers.connection, 'close')
      }
    }
    await Promise.all(idle) // closed by the server: this resolves
    assert.equal((await ask(port, 'GET /health/live HTTP/1.1')).status, 200)
  })

  test('T65: a client that is too slow, or leaves midway, is no failure of the service', async () => {
    const { port } = server.address() as { port: number } // it listens since the test before
    const left = new Promise((resolve) => {
      server.once('connection', (socket) => void socket.once('close', resolve))
    })
    await exchange(port, `${toLogin}Content-Length: 100\r\n\r\n{`, {
      opened: (socket) => void server.once('request', () => void socket.destroy()),
    })
    await left
    await setImmediate()
    const failures = app.log.filter(({ level }) => level === 'error')
    assert.deepEqual(
      failures.map(({ msg }) => msg),
      [],
    )
  })
})
