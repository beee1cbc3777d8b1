import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { answersIn, exchange } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import { tlsFolder } from '../tls-files.ts'

const host = 'Host: localhost\r\n'
const body = '{"name":"Ann","email":"ann@example.org"}'
const good = `GET /health/live HTTP/1.1\r\n${host}\r\n`

// The first two pass Node's parser; RFC 9112 section 2.3.
const versions = ['HTTP/2.0', 'HTTP/0.9', 'HTTP/3.0', 'HTTP/1.2', 'HTTP/2', 'HTTP/01.1', 'http/1.1']

for (const [transport, env, tls] of [
  ['plain HTTP', {}, false],
  ['TLS', tlsFolder().env, true],
] as const) {
  suite(`a request of another version, by ${transport}`, async () => {
    const app = await testApp(env)
    const { port } = await app.listen()
    const { authorization } = app.basic(app.admin)
    const head = (line: string) =>
      `${line}\r\n${host}Authorization: ${authorization}\r\nContent-Type: application/json\r\n`

    for (const version of versions) {
      test(`${version} is 400, ends the connection, and changes nothing`, async () => {
        const before = await app.rows()
        for (const bytes of [
          `GET / ${version}\r\n${host}\r\n`,
          `GET /nope ${version}\r\n${host}\r\n`,
          `GET / ${version}\r\n\r\n`,
          `GET / ${version}\r\n${host}Expect: 100-continue\r\n\r\n`,
          `${head(`POST /users ${version}`)}Content-Length: ${body.length}\r\n\r\n${body}`,
          `${head(`POST /users ${version}`)}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
        ]) {
          const { answers } = await exchange(port, bytes + good, { tls })
          const [answer] = answers
          assert.ok(answer && answers.length === 1, bytes)
          assertRefusal(answer, 400, 'Bad request', bytes)
          assert.equal(answer.headers.connection, 'close')
        }
        assert.deepEqual(await app.rows(), before)
      })

      test(`${version} behind a good request is 400 after its answer`, async () => {
        const bytes = `${good}GET / ${version}\r\n${host}\r\n${good}`
        const { text } = await exchange(port, bytes, { tls })
        const [first, second, ...others] = answersIn(text)
        assert.deepEqual([first?.status, others.length], [200, 0], text)
        assert.ok(second)
        assertRefusal(second, 400, 'Bad request')
      })
    }

    test('HTTP/1.0 and HTTP/1.1 are served', async () => {
      for (const version of ['1.0', '1.1']) {
        const bytes = `GET /health/live HTTP/${version}\r\n${host}Connection: close\r\n\r\n`
        const { answers } = await exchange(port, bytes, { tls })
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200],
        )
      }
    })
  })
}

suite('a request of another version, at the port that redirects', async () => {
  const base = 'https://id.example.org'
  const app = await testApp({ ...tlsFolder().env, BASE_URL: base, HTTP_REDIRECT_PORT: '0' })
  const { plainHttp } = app.app
  assert.ok(plainHttp)
  const { promise, resolve } = Promise.withResolvers<number>()
  plainHttp.listen(0, '127.0.0.1', () => {
    const address = plainHttp.address()
    resolve(typeof address === 'object' && address ? address.port : 0)
  })
  const port = await promise

  test('is 400 and is not redirected', async () => {
    for (const version of versions) {
      const { answers } = await exchange(
        port,
        `GET / ${version}\r\n${host}Accept: text/html\r\n\r\n`,
      )
      const [answer] = answers
      assert.ok(answer && answers.length === 1, version)
      assertRefusal(answer, 400, 'Bad request', version)
    }
  })
})
