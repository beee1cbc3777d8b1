import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { parseAddressRange } from '../../src/core/addresses/address-ranges.ts'
import { guardedRequest, type OutboundOptions } from '../../src/core/outbound/guarded-request.ts'
import { certificate } from '../self-signed.ts'

const loopback = { addresses: [], allowsLoopback: true }
const bounds = { rules: loopback, timeoutMs: 5000, maxAnswerBytes: 4096 }
const servers: Server[] = []

/** Starts a server on loopback; answers its port. */
async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A server of bytes: `answer` gets each connection after its first bytes. */
function bytesServer(answer: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}) // the other side ends it at will
    socket.once('data', () => answer(socket))
  })
  return listen(server)
}

const post = (port: number, options: Partial<OutboundOptions> = {}, host = '127.0.0.1') =>
  guardedRequest(
    { url: `http://${host}:${port}/hook`, method: 'POST', body: '{}' },
    { ...bounds, ...options },
  )

suite('requests to addresses that others have chosen', () => {
  after(() => {
    for (const server of servers) server.close()
  })

  test('an answer comes with its status, headers and body', async () => {
    const seen: unknown[] = []
    const port = await listen(
      createHttpServer((request, response) => {
        seen.push([request.method, request.url, request.headers.host, request.headers.connection])
        response.writeHead(202, { 'x-a': 'b' }).end('taken')
      }),
    )
    const { status, headers, body, isCut, address, certificateUntil } = await post(port)
    assert.deepEqual([status, headers['x-a'], String(body), isCut], [202, 'b', 'taken', false])
    assert.deepEqual([address, certificateUntil], ['127.0.0.1', null])
    assert.deepEqual(seen, [['POST', '/hook', `127.0.0.1:${port}`, 'close']])
  })

  test('a name that changes between the judgement and the connection gains nothing', async () => {
    const connections: string[] = []
    const inside = createServer((socket) => connections.push(String(socket.destroy())))
    const port = await listen(inside)
    // Public at the first look, this machine at each later one.
    let looks = 0
    const lookup = async () => {
      looks += 1
      return looks === 1 ? ['192.0.2.1'] : ['127.0.0.1']
    }
    const rules = { addresses: [parseAddressRange('192.0.2.0/24')], allowsLoopback: false }
    const url = `https://rebinding.example:${port}/`
    const request = guardedRequest(
      { url, method: 'GET' },
      { ...bounds, rules, lookup, timeoutMs: 500 },
    )
    await assert.rejects(request, ({ fault }) => fault === 'not_connected' || fault === 'timed_out')
    assert.deepEqual([looks, connections], [1, []])
    const again = guardedRequest({ url, method: 'GET' }, { ...bounds, rules, lookup })
    await assert.rejects(again, { fault: 'address_refused' })
    assert.deepEqual(connections, [])
  })

  const hidden: readonly (readonly string[])[] = [
    ['127.0.0.1'],
    ['8.8.8.8', '10.0.0.1'], // one of several
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['169.254.169.254'],
    ['fd00:ec2::254'],
    ['::1'],
    ['fe80::1%1'],
  ]
  for (const addresses of hidden) {
    test(`a name of ${addresses} is refused`, async () => {
      const rules = { addresses: [], allowsLoopback: false }
      const request = guardedRequest(
        { url: 'https://inside.example/', method: 'GET' },
        { ...bounds, rules, lookup: async () => addresses },
      )
      await assert.rejects(request, { fault: 'address_refused' })
    })
  }

  test('a name without an address, and one whose server fails', async () => {
    const ask = (lookup: () => Promise<string[]>) =>
      guardedRequest({ url: 'https://none.example/', method: 'GET' }, { ...bounds, lookup })
    await assert.rejects(
      ask(async () => []),
      { fault: 'name_not_found' },
    )
    await assert.rejects(
      ask(async () => ['not an address']),
      { fault: 'name_not_found' },
    )
    await assert.rejects(
      ask(() => Promise.reject(new Error('SERVFAIL'))),
      {
        fault: 'name_not_found',
        message: 'the host name has no address',
      },
    )
  })

  test('a lookup that never ends is ended by the limit', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    const request = guardedRequest(
      { url: 'https://slow.example/', method: 'GET' },
      { ...bounds, lookup, timeoutMs: 50 },
    )
    await assert.rejects(request, {
      fault: 'timed_out',
      message: 'no whole answer came within 0.05 s',
    })
  })

  for (const status of [301, 302, 303, 307, 308]) {
    test(`a redirect by ${status} is not followed`, async () => {
      let requests = 0
      const port = await listen(
        createHttpServer((_request, response) => {
          requests += 1
          response.writeHead(status, { location: 'http://169.254.169.254/' }).end()
        }),
      )
      assert.equal((await post(port)).status, status)
      assert.equal(requests, 1)
    })
  }

  test('an answer of 1 GB is cut at its limit, and its connection ended', async () => {
    let sent = 0
    const ended = Promise.withResolvers<void>()
    const port = await bytesServer((socket) => {
      socket.on('close', () => ended.resolve())
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n')
      const chunk = Buffer.alloc(65_536, 'a')
      const more = () => {
        while (!socket.destroyed && sent < 1_073_741_824) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', more)
        }
      }
      more()
    })
    const { status, body, isCut } = await post(port)
    assert.deepEqual([status, String(body), isCut], [200, 'a'.repeat(4096), true])
    await ended.promise
    assert.ok(sent < 20_000_000, `${sent} bytes`)
  })

  test('an answer byte by byte has no more time than any other', async () => {
    const closed = Promise.withResolvers<void>()
    let sent = 0
    const port = await bytesServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n')
      const timer = setInterval(() => {
        sent += 1
        socket.write('a')
      }, 10)
      socket.on('close', () => {
        clearInterval(timer)
        closed.resolve()
      })
    })
    await assert.rejects(post(port, { timeoutMs: 300 }), { fault: 'timed_out' })
    await closed.promise
    assert.ok(sent < 4000, 'it did not wait for the end of the answer')
  })

  test('headers byte by byte, without an end', async () => {
    const port = await bytesServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      const timer = setInterval(() => socket.write('a'), 10)
      socket.on('close', () => clearInterval(timer))
    })
    await assert.rejects(post(port, { timeoutMs: 300 }), { fault: 'timed_out' })
  })

  test('no answer at all', async () => {
    const port = await bytesServer(() => {})
    await assert.rejects(post(port, { timeoutMs: 200 }), { fault: 'timed_out' })
  })

  const unreadable: readonly (readonly [string, string])[] = [
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a header of 20 KiB', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['2,000 headers of 16 bytes', `HTTP/1.1 200 OK\r\n${'x: aaaaaaaaaaa\r\n'.repeat(2000)}\r\n`],
    ['a line end in a header', 'HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a body that breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'],
  ]
  for (const [name, bytes] of unreadable) {
    test(`an answer with ${name} is unreadable`, async () => {
      const port = await bytesServer((socket) => socket.end(bytes))
      const error = await post(port).then(
        () => assert.fail('it was read'),
        (thrown) => thrown,
      )
      assert.match(error.fault, /^(?:answer_unreadable|not_connected)$/)
      assert.match(error.message, /^[\x20-\x7e]+$/)
    })
  }

  test('informational answers are read until there are too many', async () => {
    const post103 = async (count: number) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count)
      const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
      return post(await bytesServer((socket) => socket.end(hints + answer)))
    }
    assert.equal((await post103(8)).status, 200)
    await assert.rejects(post103(9), {
      fault: 'answer_unreadable',
      message: /too many informational answers/,
    })
  })

  test('an answer that hands the connection over is read without it', async () => {
    const port = await bytesServer((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
    assert.equal((await post(port)).status, 101)
  })

  test('a request is ended by its caller, before and after it is sent', async () => {
    const stop = new AbortController()
    const port = await bytesServer(() => stop.abort())
    await assert.rejects(post(port, { signal: stop.signal }), { fault: 'stopped' })
    await assert.rejects(post(port, { signal: AbortSignal.abort() }), { fault: 'stopped' })
  })

  test('a port that is closed', async () => {
    const port = await bytesServer(() => {})
    await new Promise((resolve) => servers.at(-1)?.close(resolve))
    await assert.rejects(post(port), {
      fault: 'not_connected',
      message: 'no connection: ECONNREFUSED',
    })
  })

  test('a certificate is verified, for the name of the URL and its end', async () => {
    const good = certificate({ commonName: 'hook.example', hosts: ['hook.example'] })
    const port = await listen(createHttpsServer(good, (_request, response) => response.end('ok')))
    const lookup = async () => ['127.0.0.1']
    const ask = (host: string, more: Partial<OutboundOptions>) =>
      guardedRequest(
        { url: `https://${host}:${port}/`, method: 'GET' },
        { ...bounds, lookup, ...more },
      )
    await assert.rejects(ask('hook.example', {}), { fault: 'tls_failed' })
    await assert.rejects(ask('other.example', { ca: good.cert }), {
      fault: 'tls_failed',
      message: 'TLS failed: ERR_TLS_CERT_ALTNAME_INVALID',
    })
    const answer = await ask('hook.example', { ca: good.cert })
    assert.equal(String(answer.body), 'ok')
    assert.equal(answer.certificateUntil, Date.UTC(2049, 11, 31))
    const any = await ask('other.example', { acceptsAnyCertificate: true })
    assert.equal(any.certificateUntil, Date.UTC(2049, 11, 31))
  })

  test('no variable of the environment turns a check off, or sends it through a proxy', async () => {
    const before = { ...process.env }
    const tls = certificate({ commonName: 'hook.example', hosts: ['hook.example'] })
    const port = await listen(createHttpsServer(tls, (_request, response) => response.end('ok')))
    Object.assign(process.env, {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
    })
    try {
      const lookup = async () => ['127.0.0.1']
      const request = guardedRequest(
        { url: `https://hook.example:${port}/`, method: 'GET' },
        { ...bounds, lookup },
      )
      await assert.rejects(request, { fault: 'tls_failed' })
    } finally {
      process.env = before
    }
  })
})
