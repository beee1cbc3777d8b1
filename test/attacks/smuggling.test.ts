import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { exchange } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import { tlsFolder } from '../tls-files.ts'

const host = 'Host: localhost\r\n'
const toLogin = `POST /login HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
const toLive = `GET /health/live HTTP/1.1\r\n${host}`

/**
 * Requests with another one behind them, of which a proxy in front may see one where the service sees
 * two. CL: Content-Length, TE: Transfer-Encoding. RFC 9112 sections 5, 6, 7 and 11.2.
 */
function requestsBefore(inner: string) {
  const length = (value: string, body = '{}') =>
    `${toLogin}Content-Length: ${value}\r\n\r\n${body}${inner}`
  const coded = (coding: string) =>
    `${toLogin}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n${inner}`
  const chunks = (text: string, coding = 'chunked') =>
    `${toLogin}Transfer-Encoding: ${coding}\r\n\r\n${text}${inner}`
  const chunked = (coding: string) => chunks('2\r\n{}\r\n0\r\n\r\n', coding)

  const ambiguous: Readonly<Record<string, string>> = {
    'CL.TE': `${toLogin}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    'TE.CL': `${toLogin}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    'CL.0 and TE': `${toLogin}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n${inner}`,
    'two lengths': `${toLogin}Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    'two equal lengths': `${toLogin}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${inner}`,
    'a list of lengths': length('2, 2'),
    'a length with a sign': length('+2'),
    'a negative length': length('-2'),
    'a length in hexadecimal': length('0x2'),
    'a length with a space': length('2 2'),
    'a length beyond 64 bits': length('18446744073709551618'),
    'an empty length': length(''),
    'a space before the colon': `${toLogin}Content-Length : 2\r\n\r\n{}${inner}`,
    'chunked twice': coded('chunked, chunked'),
    'two codings': `${toLogin}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`,
    'chunked not last': coded('chunked, identity'),
    identity: coded('identity'),
    xchunked: coded('xchunked'),
    'a quoted coding': coded('"chunked"'),
    'a coding after a vertical tab': coded('\x0bchunked'),
    'a coding with NUL': coded('chunked\0'),
    'an empty coding': coded(''),
    'chunked in HTTP/1.0': coded('chunked').replace('HTTP/1.1', 'HTTP/1.0'),
    'a folded field': `${toLogin}X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}${inner}`,
    'a folded coding': coded('\r\n chunked'),
    'a folded first field': `POST /login HTTP/1.1\r\n ${host}Content-Length: 2\r\n\r\n{}${inner}`,
    'a bare LF after a field': `${toLogin}X: a\nContent-Length: 2\r\n\r\n{}${inner}`,
    'a bare LF after the request line': `GET /health/live HTTP/1.1\n${host}\r\n${inner}`,
    'a bare LF at the end': `${toLogin}Content-Length: 2\r\n\n{}${inner}`,
    'a bare CR in a field': `${toLive}X: a\rTransfer-Encoding: chunked\r\n\r\n${inner}`,
    'NUL in a field': `${toLive}X: a\0b\r\n\r\n${inner}`,
    'NUL in a name': `${toLive}X\0: a\r\n\r\n${inner}`,
    'a field without a colon': `${toLive}X\r\n\r\n${inner}`,
    'a field without a name': `${toLive}: a\r\n\r\n${inner}`,
    'a chunk size with a sign': chunks('+2\r\n{}\r\n0\r\n\r\n'),
    'a chunk size in 0x form': chunks('0x2\r\n{}\r\n0\r\n\r\n'),
    'a chunk size and a space': chunks('2 \r\n{}\r\n0\r\n\r\n'),
    'a chunk size beyond 64 bits': chunks('10000000000000002\r\n{}\r\n0\r\n\r\n'),
    'a chunk size that is no number': chunks('g\r\n{}\r\n0\r\n\r\n'),
    'no chunk size': chunks('\r\n{}\r\n0\r\n\r\n'),
    'a chunk longer than its size': chunks('2\r\n{}xx\r\n0\r\n\r\n'),
    'LF after a chunk size': chunks('2\n{}\r\n0\r\n\r\n'),
    'LF after a chunk': chunks('2\r\n{}\n0\r\n\r\n'),
    'LF in a chunk extension': chunks('2;a\nb\r\n{}\r\n0\r\n\r\n'),
    'CR in a chunk extension': chunks('2;a\rb\r\n{}\r\n0\r\n\r\n'),
    'LF after the last chunk': chunks('2\r\n{}\r\n0\n\n'),
    'two Hosts': `${toLive}Host: evil.example\r\n\r\n${inner}`,
    'two equal Hosts': `${toLive}${host}\r\n${inner}`,
    'lengths in two cases': `${toLogin}Content-Length: 0\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`,
    'a length with a parameter': length('2;a'),
    'a length after a vertical tab': length('\x0b2'),
    'a length with a fraction': length('2.0'),
    'a length with an exponent': length('2e0'),
    'a space before the colon of the coding': `${toLogin}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`,
    'a tab before the colon of the coding': `${toLogin}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n${inner}`,
    'a coding with a parameter': coded('chunked;q=1'),
    'a coding with a bare CR': coded('chunked\rx'),
    'two codings, the last one chunked': chunked('gzip, chunked'),
    'chunked twice, in two fields': `${toLogin}Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    'an obfuscated coding beside a length': `${toLogin}Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
    'a coding in HTTP/1.0 beside a length':
      `${toLogin}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`.replace(
        'HTTP/1.1',
        'HTTP/1.0',
      ),
    'a negative chunk size': chunks('-2\r\n{}\r\n0\r\n\r\n'),
    'a chunk size before a space and LF': chunks('2 \n{}\r\n0\r\n\r\n'),
    'a chunk without its end': chunks('2\r\n{}0\r\n\r\n'),
    'NUL in a chunk extension': chunks('2;a\0b\r\n{}\r\n0\r\n\r\n'),
    'a coding before a tab': chunked('chunked \t'),
    'identity and chunked': chunked('identity, chunked'),
    'a folded trailer': chunks('2\r\n{}\r\n0\r\nX: a\r\n b\r\n\r\n'),
    'a trailer without a colon': chunks('2\r\n{}\r\n0\r\nX\r\n\r\n'),
    'a trailer that names a length': chunks('2\r\n{}\r\n0\r\nContent-Length: 100\r\n\r\n'),
    'three Hosts, one empty': `${toLive}Host:\r\nHost: evil.example\r\n\r\n${inner}`,
  }

  /** Two requests, of which each is served once, however the first says where it ends. */
  const clear: Readonly<Record<string, string>> = {
    'a chunk extension': chunks('2;a=b;c\r\n{}\r\n0;d\r\n\r\n'),
    'leading zeros of a chunk size': chunks('0002\r\n{}\r\n0\r\n\r\n'),
    'a coding in another case': chunked('Chunked'),
    'a coding between spaces': chunked('  chunked  '),
    'a coding after a tab': chunked('\tchunked'),
    'a length with leading zeros': length('002'),
    'a field whose name has an underscore': `${toLogin}Content_Length: 100\r\nContent-Length: 2\r\n\r\n{}${inner}`,
    'a coding whose name has an underscore': `${toLogin}Transfer_Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}${inner}`,
    'a body of a GET': `${toLive}Content-Length: ${inner.length}\r\n\r\n${inner}${inner}`,
    'an absolute form': `GET http://localhost/health/live HTTP/1.1\r\n${host}\r\n${inner}`,
    'an absolute form of another host': `GET http://evil.example/health/live HTTP/1.1\r\n${host}\r\n${inner}`,
  }
  return { ambiguous, clear }
}

for (const [transport, env, tls] of [
  ['plain HTTP', {}, false],
  ['TLS', tlsFolder().env, true],
] as const) {
  suite(`T64: request smuggling, by ${transport}`, async () => {
    const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0', ...env })
    const { port } = await app.listen()
    const { authorization } = app.basic(app.admin)
    const user = '{"name":"Eve","email":"eve@example.org"}'
    const fields = `${host}Authorization: ${authorization}\r\nContent-Type: application/json\r\n`
    const inner = `POST /users HTTP/1.1\r\n${fields}Content-Length: ${user.length}\r\n\r\n${user}`
    const { ambiguous, clear } = requestsBefore(inner)

    for (const [what, bytes] of Object.entries(ambiguous)) {
      test(`${what} is 400, ends the connection, and nothing after it is served`, async () => {
        const before = await app.rows()
        const { answers, text } = await exchange(port, bytes, { tls })
        const [answer, ...others] = answers
        assert.ok(answer && others.length === 0, text)
        assertRefusal(answer, 400, 'Bad request')
        assert.equal(answer.headers.connection, 'close')
        assert.deepEqual(await app.rows(), before)
      })
    }

    for (const [what, bytes] of Object.entries(clear)) {
      test(`${what} leaves no doubt: the next request is the next one, once`, async () => {
        const countOfUsers = async () => (await app.rows()).users?.length ?? 0
        const before = await countOfUsers()
        const isAnswered = (text: string) => text.includes('HTTP/1.1 201')
        const { answers, text } = await exchange(port, bytes, { endWhen: isAnswered, tls })
        assert.deepEqual(answers.map(({ status }) => status).slice(1), [201], text)
        assert.equal(await countOfUsers(), before + 1)
      })
    }
  })
}
