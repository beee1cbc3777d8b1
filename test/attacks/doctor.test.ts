import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { createProbe, targetOf } from '../../src/core/checks/probe.ts'
import { systemClock } from '../../src/core/lib/clock.ts'
import { examineOutside } from '../../src/extras/doctor/outside.ts'
import { modules } from '../../src/modules.ts'
import { gatehouse, type Ran } from '../cli/gatehouse.ts'

/** Pointed at an address that is foreign, or means it badly. */
suite('doctor at a hostile address', () => {
  async function listening(server: Pick<Server, 'listen' | 'once' | 'address' | 'close'>) {
    server.listen(0, '127.0.0.1')
    await once(server as Server, 'listening')
    after(() => void server.close())
    return (server.address() as AddressInfo).port // of a TCP port
  }

  const serving = (listener: RequestListener) => listening(createServer(listener))

  const outside = (words: string): Promise<Ran> =>
    gatehouse('/nowhere', `doctor --outside ${words}`)

  const idsOf = ({ stdout }: Ran): string[] =>
    JSON.parse(stdout).findings.map(({ check }: { check: string }) => check)

  test('asks a host that is not Gatehouse once, and says so', async () => {
    const asked: string[] = []
    const port = await serving(({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      response.end('<h1>Welcome</h1>')
    })
    const ran = await outside(`http://127.0.0.1:${port} --json`)
    assert.deepEqual([ran.code, idsOf(ran)], [1, ['service']])
    assert.deepEqual(asked, ['GET /api/public/status'])
  })

  test('follows no redirect, to a private address or to any other', async () => {
    let inside = 0
    const secret = await serving((_request, response) => {
      inside += 1
      response.end('{"service":"gatehouse"}')
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${secret}/api/public/status`
      const port = await serving((_request, response) => {
        response.writeHead(status, { location }).end()
      })
      const ran = await outside(`http://front.example --connect 127.0.0.1:${port} --json`)
      assert.deepEqual([ran.code, idsOf(ran)], [1, ['redirected']])
    }
    assert.equal(inside, 0)
  })

  test('looks a name up once, and goes nowhere else', async () => {
    const port = await serving((_request, response) => response.end('{}'))
    let looks = 0
    const lookup = async () => {
      looks += 1
      return looks === 1 ? ['127.0.0.1'] : ['169.254.169.254']
    }
    const url = `http://rebinding.example:${port}`
    const { findings } = await examineOutside({
      ...{ url, clock: systemClock, inside: null, modules, lookup },
    })
    assert.deepEqual([looks, findings.map(({ check }) => check)], [1, ['service']])
  })

  test('never goes to a metadata service, however it is named', async () => {
    const named = [
      'http://169.254.169.254',
      'http://metadata.google.internal',
      'http://[::ffff:169.254.169.254]',
      'http://0xa9fea9fe',
      'http://front.example --connect 169.254.169.254',
    ]
    for (const words of named) {
      const ran = await outside(`${words} --json`)
      assert.deepEqual([ran.code, idsOf(ran)], [1, ['reachable']], words)
      assert.match(ran.stdout, /metadata/)
    }
    const lookup = async () => ['169.254.169.254']
    const options = {
      url: 'http://front.example',
      clock: systemClock,
      inside: null,
      modules,
      lookup,
    }
    const { findings } = await examineOutside(options)
    assert.match(findings[0]?.what.en ?? '', /metadata service/)
  })

  test('prints no control characters, in text and in JSON', async () => {
    // Bytes that HTTP allows in a header: CSI of C1, and the marks of UTF-8 that turn a line around.
    const steering = Buffer.from('\u009b31m\u009d0;owned\u009c\u202eevil', 'utf8').toString(
      'latin1',
    )
    const port = await serving(({ url }, response) => {
      response.setHeader('x-request-id', 'a')
      response.setHeader('set-cookie', `__Host-${steering}=1; Domain=${steering}`)
      response.setHeader('x-frame-options', steering)
      response.setHeader('content-encoding', steering)
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('strict-transport-security', steering)
      if (url === '/api/public/status') return response.end('{"service":"gatehouse"}')
      response.end(
        JSON.stringify({ keys: [{ kid: '\u001b[2J\u202e' }], servers: [{ url: '\u001b]0;x' }] }),
      )
    })
    for (const format of ['', ' --json']) {
      const { stdout, stderr } = await outside(`http://127.0.0.1:${port}${format}`)
      assert.match(stdout, /X-Frame-Options|x-frame-options/i)
      assert.match(stdout, /evil/)
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      assert.doesNotMatch(stderr.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    }
    const redirecting = await serving((_request, response) => {
      response.writeHead(302, { location: `https://${steering}/` }).end()
    })
    const { stdout } = await outside(`http://127.0.0.1:${redirecting}`)
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })

  test('reads no more than it needs of an answer without an end', async () => {
    let sent = 0
    const port = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    })
    const ran = await outside(`http://127.0.0.1:${port} --json`)
    assert.deepEqual([ran.code, idsOf(ran)], [1, ['service']])
    assert.ok(sent < 64 * 1_048_576, `${sent} bytes were taken`)
  })

  test('gives an address that answers slowly a time for all its requests', async () => {
    const waits: (() => void)[] = []
    const port = await serving((_request, response) => void waits.push(() => response.end('{}')))
    const target = await targetOf(`http://127.0.0.1:${port}`)
    const probe = createProbe(target, { totalMs: 300 })
    await assert.rejects(probe.send('/'), { fault: 'timed_out' })
    await assert.rejects(probe.send('/'), { message: 'the address has answered too slowly' })
    assert.equal(waits.length, 1)
  })

  test('ends where the other side closes, or does not speak HTTP', async () => {
    const answers: readonly ((socket: Socket) => void)[] = [
      (socket) => socket.destroy(),
      (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_048_576)}\r\n\r\n`),
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{'),
    ]
    for (const answer of answers) {
      const port = await listening(
        createTcpServer((socket) => {
          socket.on('error', () => {})
          socket.once('data', () => answer(socket))
        }) as unknown as Server,
      )
      const ran = await outside(`http://127.0.0.1:${port} --json`)
      assert.deepEqual([ran.code, idsOf(ran)], [1, ['reachable']])
    }
  })

  test('takes no other kind of URL', async () => {
    for (const url of [
      'file:///etc/passwd',
      'ftp://example.org',
      'https://name:password@example.org',
      'https://example.org/path',
      'https://example.org?query',
    ]) {
      const { code, stdout, stderr } = await outside(url)
      assert.deepEqual([code, stdout], [2, ''], url)
      assert.match(stderr, /^error: the URL must be /)
    }
    const words = ['https://192.0.2.1 --connect 192.0.2.2', 'https://a.example --connect b.example']
    for (const one of words) assert.equal((await outside(one)).code, 2, one)
    assert.equal((await outside('https://a.example --except none')).code, 2)
    assert.equal((await gatehouse('/nowhere', 'doctor --inside --outside')).code, 2)
  })
})
