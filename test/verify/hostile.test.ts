// A database makes no difference: the services of these tests are hostile, and have none.
import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, suite, test } from 'node:test'
import { createSend, NoAnswer } from '../../src/extras/verify/http.ts'
import type { Report } from '../../src/extras/verify/report.ts'
import { createSecrets } from '../../src/extras/verify/secrets.ts'
import { gatehouse, type Surroundings } from '../cli/gatehouse.ts'

const password = 'päss "w:rd" of the operator'
const basic = Buffer.from(`admin:${password}`).toString('base64')

async function listening(answer: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return { server, url: `http://127.0.0.1:${port}` }
}

function verify(url: string, words: string, more: Surroundings = {}) {
  const env = { ADMIN_PASSWORD: password }
  return gatehouse('/nonexistent', `verify ${url} ${words}`, { env, ...more })
}

/** Passwords that checks have in their text: the service must refuse them. */
const isPublic = /^(?:elevenchars|password123456)$/
const get = { method: 'GET', path: '/', headers: {}, body: undefined }

function sendTo(url: string, timeoutMs = 10_000) {
  const { close, send } = createSend({ url: new URL(url), ca: undefined, timeoutMs })
  after(close)
  return send
}

suite('gatehouse verify at a hostile service', () => {
  test('an answer that comes byte by byte ends at the deadline', async () => {
    const { url } = await listening((_, response) => {
      response.writeHead(200)
      let bytes = 0
      const drip = setInterval(() => (++bytes < 60 ? response.write('x') : response.end()), 50)
      response.on('close', () => clearInterval(drip))
    })
    await assert.rejects(sendTo(url, 200)(get), new NoAnswer('GET /: no whole answer in 0.2 s'))
  })

  test('a changed protocol is no answer', async () => {
    const { server, url } = await listening(() => {})
    server.on('connection', (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    })
    const message = 'GET /: the answer 101 changes the protocol'
    await assert.rejects(sendTo(url)(get), new NoAnswer(message))
    const ran = await verify(url, '')
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, /^error: there is no answer: .*the answer 101 changes the protocol/)
  })

  test('an answer that breaks off is no answer', async () => {
    const { url } = await listening((request, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('x', () => request.socket.destroy())
    })
    await assert.rejects(sendTo(url)(get), NoAnswer)
  })

  test('a value of the service that no header can have is no answer', async () => {
    const { url } = await listening((_, response) => response.end())
    const asked = { ...get, headers: { authorization: 'Bearer a\nb' } }
    await assert.rejects(sendTo(url)(asked), NoAnswer)
  })

  test('an answer of more than 64 MiB is not read to its end', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    const { url } = await listening((_, response) => {
      let pieces = 0
      const more = () => (++pieces > 66 ? response.end() : response.write(piece, more))
      more()
    })
    await assert.rejects(sendTo(url)(get), new NoAnswer('GET /: the answer is too long'))
  })

  for (const first of [true, false]) {
    test(`a signal ends the ${first ? 'first' : 'second'} request under way`, async () => {
      const stop = new AbortController()
      let asked = 0
      const { url } = await listening((_, response) => {
        asked += 1
        if (!first && asked === 1) return response.end('[]')
        response.writeHead(200).write(' ', () => stop.abort()) // and it never ends
      })
      const ran = await verify(url, '--only 4.2-page-default', { stop: stop.signal })
      assert.deepEqual([ran.code, asked], [130, first ? 1 : 2])
      assert.match(ran.stderr, /^error: broken off/)
    })
  }

  test('an account whose creation has no answer is named in the report', async () => {
    const names: string[] = []
    const { url } = await listening(async (request, response) => {
      if (request.method !== 'POST') return response.end('[]')
      names.push(JSON.parse(await text(request)).username)
      request.socket.destroy()
    })
    const ran = await verify(url, '--only 4.2-get-200 --format json')
    const { left }: Report = JSON.parse(ran.stdout)
    const path = '/api/admin/accounts'
    assert.ok(names.length > 0 && names.every((name) => /^verify-\w+-\w+$/.test(name)))
    assert.deepEqual(
      left,
      names.map((name) => `${path} ${name} (perhaps: no answer)`),
    )
    assert.equal(ran.code, 1)
  })

  for (const format of ['json', 'junit', 'text']) {
    test(`an echo of credentials and bodies is hidden: ${format}`, async () => {
      const made = new Set<string>()
      const { url } = await listening(async (request, response) => {
        const { authorization = '', cookie = '' } = request.headers
        const body = await text(request)
        const [, secret] = /"password":"([^"]*)"/.exec(body) ?? []
        const isCreation = request.url === '/api/admin/accounts'
        if (secret && isCreation && !isPublic.test(secret)) made.add(secret)
        response.statusCode = isCreation ? 201 : 200
        response.setHeader('set-cookie', 'JSESSIONID=the-id-of-this-session')
        const long = `${'.'.repeat(160)}${authorization} ${cookie} ${body} ${password}`
        const fields = { token: 'the-token-of-this-login', csrf_token: 'the-csrf-token-of-this' }
        response.end(JSON.stringify({ ...(isCreation && { user_id: 7 }), ...fields, long }))
      })
      const ran = await verify(url, `--profile decisions --format ${format}`)
      const all = ran.stdout + ran.stderr
      assert.equal(ran.code, 1)
      assert.ok(made.size > 5 && all.includes('(hidden)'), `${made.size}: ${all.slice(0, 300)}`)
      const secrets = [password, JSON.stringify(password).slice(1, -1), basic, ...made]
      const rest = ['the-id-of-this-session', 'the-token-of-this-login', 'the-csrf-token-of-this']
      // Also no beginning of one that is cut off.
      const shown = [...secrets, ...rest].filter((one) => all.includes(one.slice(0, 12)))
      assert.deepEqual(shown, [])
    })
  }

  test('an echo in the answer to the first request is hidden', async () => {
    const { url } = await listening((request, response) => {
      response.writeHead(401).end(`no: ${request.headers.authorization}`)
    })
    const ran = await verify(url, '')
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /: 401 no: Basic \(hidden\)/)
  })

  test('a secret is hidden in each form, and before the text is cut', () => {
    const secrets = createSecrets()
    secrets.addLogin('ann', 'ü"&pass')
    const forms = ['ü"&pass', 'ü\\"&pass', '\\u00fc\\"&pass', '%C3%BC%22%26pass']
    for (const form of [...forms, Buffer.from('ann:ü"&pass').toString('base64')]) {
      assert.equal(secrets.safe(`a ${form} b`), 'a (hidden) b')
    }
    assert.equal(secrets.safe('123456 ü"&pass', 10), '123456 (hi…')
  })
})

suite('gatehouse verify over plain http', () => {
  const refusal = /^error: http to another host sends the password in the clear/

  for (const url of ['http://a.invalid', 'http://192.0.2.1', 'http://[2001:db8::1]:3000']) {
    test(`refuses to send a password to ${url}`, async () => {
      const ran = await verify(url, '')
      assert.deepEqual([ran.code, ran.stdout], [2, ''])
      assert.match(ran.stderr, refusal)
    })
  }

  test('sends it with --insecure-http, and asks without a password', async () => {
    const stop = AbortSignal.abort()
    assert.equal((await verify('http://a.invalid', '--insecure-http', { stop })).code, 130)
    const words = '--profile read-only'
    assert.equal((await verify('http://a.invalid', words, { stop, env: {} })).code, 130)
  })
})
