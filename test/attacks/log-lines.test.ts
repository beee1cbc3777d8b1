// A database makes a difference: the texts are stored in columns and read again.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLog } from '../../src/core/runtime/deps.ts'
import { testApp } from '../app.ts'
import { recordsAfter } from '../audit.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { exchange } from '../raw-http.ts'
import { testBrowser } from '../test-browser.ts'

const forged = '{"level":"info","event":"authn_login_success","user_id":1}'
const odd = {
  'a new line': '\n',
  'a carriage return': '\r',
  NUL: '\0',
  'an escape sequence of a terminal': '\u001b[2J\u001b[1;31m',
  'a control of C1': '\u009b2J',
  'the next line of C1': '\u0085',
  DEL: '\u007f',
  'a separator of lines': '\u2028',
  'a separator of paragraphs': '\u2029',
  'an override of the direction': '\u202e',
  'an isolate of the direction': '\u2066',
  'no width': '\u200b',
  'a tag': '\u{e0041}',
  'a lone surrogate': '\ud800',
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

suite('A3, T96: hostile characters', async () => {
  const lines: string[] = []
  const log = createLog('debug', {
    destination: { write: (line: string) => void lines.push(line) },
  })
  const app = await testApp({ TRUST_PROXY: '127.0.0.1' }, { deps: { log } })
  const { port } = await app.listen()

  /** Each write is one line of JSON in visible characters, and none is the forged one. */
  function assertLines(from: number): Record<string, unknown>[] {
    const written = lines.slice(from)
    return written.map((line) => {
      assert.equal(line.at(-1), '\n')
      assert.doesNotMatch(line.slice(0, -1), hidden)
      assert.ok(Buffer.from(line).toString() === line, 'it is UTF-8')
      const read = JSON.parse(line)
      assert.notEqual(read.event, 'authn_login_success')
      return read
    })
  }

  for (const [index, [what, text]] of Object.entries(odd).entries()) {
    const hostile = `x${text}${forged}`

    test(`${what} in a username, a path and a query makes no second line`, async () => {
      const from = lines.length
      for (const username of [hostile, `${hostile}\n`]) {
        const json = { username, password: hostile }
        const answer = await app.call('POST', '/login', { json, from: `192.0.2.${index}` })
        assert.deepEqual([answer.status, answer.text], [401, '{"error":"Invalid credentials"}'])
      }
      const encoded = encodeURIComponent(hostile.toWellFormed())
      for (const path of [`/${encoded}`, `/users/${encoded}`, `/users?q=${encoded}`]) {
        assert.ok((await app.call('GET', path)).status >= 401)
      }
      const told = assertLines(from).filter(({ event }) => event === 'authn_login_fail')
      assert.equal(told.length, 2)
      assert.ok(!lines.slice(from).some((line) => line.includes('"user_id":1')))
    })

    test(`${what} in the headers of a request makes no second line`, async () => {
      const from = lines.length
      const value = Buffer.from(hostile.toWellFormed(), 'utf8').toString('latin1')
      const head = [
        'GET /api/admin/statistics HTTP/1.1',
        'Host: x',
        `User-Agent: ${value}`,
        `X-Request-Id: ${value}`,
        `X-Forwarded-For: ${value}`,
        `Cookie: JSESSIONID=${value}`,
        'Authorization: Bearer x.y.z',
        'Connection: close',
      ].join('\r\n')
      const { answers } = await exchange(port, Buffer.from(`${head}\r\n\r\n`, 'latin1'))
      assert.ok(answers.every(({ status }) => status >= 400 && status < 500))
      const told = assertLines(from).filter(({ event }) => event === 'authn_token_fail')
      const isHttp = answers[0]?.status === 401 // a parser takes neither NUL nor line breaks
      assert.equal(told.length, isHttp ? 1 : 0)
      for (const { address } of told) assert.equal(address, '127.0.0.1')
    })
  }

  test('the audit log has kept what it keeps as it was sent, in JSON of one line', async () => {
    await app.app.jobs.find(({ name }) => name === 'audit records')?.run()
    const records = await recordsAfter(app.deps, 0)
    const agents = records.flatMap(({ type, actor }) =>
      type === 'authn_token_fail' ? [String(actor?.user_agent)] : [],
    )
    assert.ok(agents.length > 5)
    assert.ok(agents.every((agent) => agent.length <= 256))
    assert.ok(!records.some(({ type }) => type === 'authn_login_success'))
  })

  test('the answer of a provider makes no second line, nor its name for a user', async () => {
    const idp = await identityProvider()
    const written: string[] = []
    const destination = { write: (line: string) => void written.push(line) }
    const client = await testApp(settingsFor(idp), {
      clock: clockOfToday(),
      deps: { log: createLog('debug', { destination }) },
    })
    const hostile = Object.values(odd).join('')
    const browser = testBrowser(client)
    const begun = await browser.call('GET', '/oauth/login')
    const state = new URL(String(begun.headers.location)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({
      state,
      error: 'x',
      error_description: `${hostile}${forged}`,
    })
    const answer = await browser.call('GET', `/oauth/callback?${query}`)
    assert.ok(answer.status >= 400, String(answer.status))
    idp.person = {
      sub: `s${hostile.toWellFormed()}`,
      preferred_username: `p${hostile.toWellFormed()}`,
      email: 'p@example.org',
      name: `n${hostile.toWellFormed()}`,
    }
    await testBrowser(client).open('/oauth/login')
    for (const line of written) {
      assert.equal(line.at(-1), '\n')
      assert.doesNotMatch(line.slice(0, -1), hidden)
      JSON.parse(line)
    }
    assert.ok(written.some((line) => line.includes('"event":"authn_login_fail"')))
    assert.ok(!written.some((line) => /"event":"authn_login_success","user_id":1[,}]/.test(line)))
  })
})
