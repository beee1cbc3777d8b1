import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { exchange } from '../raw-http.ts'
import { tlsFolder } from '../tls-files.ts'

/** The events without whose listeners Node would answer or close by itself, or would throw. */
const serverEvents = ['checkContinue', 'checkExpectation', 'clientError', 'connection', 'request']
const tlsEvents = ['secureConnection', 'tlsClientError']

suite('the events that Node raises without a listener', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const { server } = app.app.server

  test('the service listens to each by which Node would act', async () => {
    const { app: secure } = await testApp(tlsFolder().env)
    for (const name of serverEvents) assert.ok(server.listenerCount(name) > 0, name)
    for (const name of [...serverEvents, ...tlsEvents]) {
      assert.ok(secure.server.server.listenerCount(name) > 0, name)
    }
    assert.equal(secure.server.server.listenerCount('tlsClientError'), 1)
  })

  test('what is turned off stays so', () => {
    assert.equal(server.listenerCount('connect'), 0) // so that it could not pass unnoticed
    assert.equal(server.listenerCount('upgrade'), 0)
    assert.equal(server.maxConnections ?? null, null)
    assert.equal(server.timeout, 0)
  })

  test('every connection keeps a listener for its errors', async () => {
    const unheard: string[] = []
    let connections = 0
    server.on('connection', (socket: Socket) => {
      connections += 1
      const check = (when: string) => {
        if (socket.listenerCount('error') === 0) unheard.push(when)
      }
      const emit = socket.emit.bind(socket)
      socket.emit = (event: string, ...rest: unknown[]) => {
        check(`at ${event}`)
        return emit(event, ...rest)
      }
    })
    const host = 'Host: localhost\r\n'
    const hostile = [
      `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`,
      `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n\x16\x03\x01`,
      `CONNECT example.org:443 HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello`,
      `POST /login HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\n{`,
      `POST /login HTTP/1.1\r\n${host}Expect: x\r\nContent-Length: 5\r\n\r\n`,
      `POST /login HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
      `PLAY / RTSP/1.0\r\n${host}\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'no HTTP at all\r\n\r\n',
      `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(17_000)}\r\n\r\n`,
    ]
    for (const bytes of hostile) {
      await exchange(port, bytes, { opened: (socket) => void socket.end() })
      await exchange(port, bytes, { opened: (socket) => void socket.resetAndDestroy() })
      await exchange(port, bytes, {
        opened: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
      })
    }
    assert.deepEqual(unheard, [])
    assert.equal(connections, 3 * hostile.length)
  })
})
