import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { exchange } from '../raw-http.ts'
import { tlsFolder } from '../tls-files.ts'

/**
 * What follows where an event of Node's servers and sockets has no listener. `nothing`: it only
 * tells. `wanted`: what Node does then is right. `listened`: Node would answer, close or throw by
 * itself, so the service listens. `unraised`: what would raise it is turned off.
 */
type Verdict = 'nothing' | 'wanted' | 'listened' | 'unraised'

/** Every event that Node's own source raises on an HTTP server or on its connections. */
const serverEvents: Readonly<Record<string, Verdict>> = {
  checkContinue: 'listened', // a 100 before anything is asked
  checkExpectation: 'listened', // a bare 417
  clientError: 'listened', // a bare 400, 408, 413 or 431
  close: 'nothing',
  connect: 'unraised', // closes the connection; raised, it takes the socket's listeners away
  drain: 'nothing',
  dropRequest: 'listened', // a bare 503
  error: 'listened', // ends the process
  request: 'listened',
  socket: 'nothing',
  timeout: 'wanted', // closes the connection: it has been idle for long
  upgrade: 'unraised', // as `connect`
}

const netEvents: Readonly<Record<string, Verdict>> = {
  close: 'nothing',
  connect: 'nothing', // of a client, as the next six
  connectionAttempt: 'nothing',
  connectionAttemptFailed: 'nothing',
  connectionAttemptTimeout: 'nothing',
  lookup: 'nothing',
  ready: 'nothing',
  connection: 'listened',
  drop: 'unraised', // a connection too many is closed without an answer
  error: 'listened', // ends the process
  listening: 'nothing',
  timeout: 'listened', // nothing by itself; http listens
}

/** What Node raises on a server of TLS and its connections beside these. */
const tlsEvents: Readonly<Record<string, Verdict>> = {
  OCSPRequest: 'nothing', // asked of listeners alone
  OCSPResponse: 'nothing', // of a client, as `secureConnect`
  _tlsError: 'nothing', // within Node
  close: 'nothing',
  connect: 'nothing',
  error: 'listened',
  keylog: 'nothing',
  newListener: 'nothing',
  newSession: 'nothing', // asked of listeners alone, as `resumeSession`
  resumeSession: 'nothing',
  secure: 'nothing',
  secureConnect: 'nothing',
  secureConnection: 'listened',
  session: 'nothing', // of a client
  tlsClientError: 'listened', // would be a 400 within TLS that never began
}

/** The source of a module of Node, as this Node runs it. */
function sourceOf(name: string): string {
  const { binding } = process as unknown as { binding(name: 'natives'): Record<string, string> }
  const source = binding('natives')[name]
  assert.ok(source, `this Node does not show ${name}`)
  return source
}

/** Names of events that a source raises or asks the listeners of. */
function eventsIn(source: string): string[] {
  const code = source.replace(/^\s*\/\/.*$/gm, '')
  const raised = [...code.matchAll(/\b(?:emit|listenerCount)\(\s*(?:'(\w+)'|(\w+))/g)]
  const names = raised.flatMap(([, literal, variable]) => {
    if (literal !== undefined) return [literal]
    // Where the name is a variable, all that it can be.
    const values = [...code.matchAll(new RegExp(`\\b${variable} = ([^;]*);`, 'g'))]
    const literals = values.flatMap(([, value = '']) =>
      [...value.matchAll(/[?:]\s*'(\w+)'/g)].map(([, name = '']) => name),
    )
    assert.ok(literals.length > 0, `what ${variable} can be`)
    return literals
  })
  return [...new Set(names)].sort()
}

suite('the events that Node raises without a listener', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const { server } = app.app.server

  test('every event of http.Server in the source of this Node is known', () => {
    assert.deepEqual(eventsIn(sourceOf('_http_server')), Object.keys(serverEvents).sort())
  })

  test('every event of net.Server and net.Socket in the source of this Node is known', () => {
    assert.deepEqual(eventsIn(sourceOf('net')), Object.keys(netEvents).sort())
  })

  test('every event of tls.Server and TLSSocket in the source of this Node is known, and listened to', async () => {
    assert.deepEqual(eventsIn(sourceOf('internal/tls/wrap')), Object.keys(tlsEvents).sort())
    const { app: secure } = await testApp(tlsFolder().env)
    for (const [name, verdict] of Object.entries({ ...tlsEvents, ...serverEvents })) {
      if (verdict !== 'listened' || name === 'error') continue
      assert.ok(secure.server.server.listenerCount(name) > 0, name)
    }
    assert.equal(secure.server.server.listenerCount('tlsClientError'), 1)
  })

  test('the service listens to each of a server by which Node would act', () => {
    const socketsOwn = new Set(['error', 'timeout'])
    for (const [name, verdict] of Object.entries({ ...netEvents, ...serverEvents })) {
      if (verdict !== 'listened' || socketsOwn.has(name)) continue
      assert.ok(server.listenerCount(name) > 0, name)
    }
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
