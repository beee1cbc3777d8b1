import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { type Asked, askForward, forwarded, forwardPath, proxied } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { exchange } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const host = 'wiki.example.org'
const pathHeaders = [
  ...['X-Original-URL', 'X-Original-URI', 'X-Rewrite-URL', 'X-Forwarded-Path'],
  ...['X-HTTP-Path-Override', 'x-original-url'],
]
const allHeaders = [...pathHeaders, 'X-Forwarded-Prefix']
const remote = ['remote-user', 'remote-groups', 'remote-email', 'cookie']

/** Marks of each kind: a path may have 200 of them. */
const marks: Readonly<Record<string, readonly [text: string, count: number]>> = {
  'an escape': ['%41', 1],
  'an escape in lower case': ['%7e', 1],
  'an escaped percent sign': ['%25-', 1],
  'a nested escape': ['%2541', 2],
  'an escape nested four times': ['%2525252541', 5],
  'nested bytes of UTF-8': ['%25C3%25A4', 4],
  'a nested escape of Windows': ['%25u0041', 2],
  'a semicolon': [';', 1],
  'parameters and escapes': [';a%41', 2],
}

suite('forward authentication: headers that name another path', async () => {
  const app = await testApp({
    ...proxied,
    FORWARD_AUTH_FILE: forwardFile([
      { hosts: [host], paths: ['/public/*'], policy: 'bypass' },
      { hosts: [host], paths: ['/admin/*', '/mounted/public/*'], policy: 'deny' },
      { hosts: [host], policy: 'one_factor' },
      { hosts: ['any.example.org'], policy: 'bypass' },
    ]),
  })
  const ann = await app.account('ann')
  const bearer = await app.bearer(ann)
  const { port } = await app.listen()
  const uri = '/public/page?x=1'
  const asked = (headers: Headers, more: Asked = {}) => askForward(app, { uri, ...more, headers })
  const raw = async (lines: readonly string[]) => {
    const told = Object.entries(forwarded({ uri })).map(([name, value]) => `${name}: ${value}`)
    const head = [`GET ${forwardPath} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close']
    const { answers } = await exchange(port, [...head, ...told, ...lines, '\r\n'].join('\r\n'))
    return answers[0] ?? assert.fail('no answer')
  }

  async function assertDenied(headers: Headers, about: string, more: Asked = {}): Promise<void> {
    const answer = await asked(headers, more)
    assertRefusal(answer, 403, 'Access denied', about)
    for (const name of remote) assert.equal(answer.headers[name], undefined, `${name} ${about}`)
  }

  test('a path of another rule is denied, in each header and spelling', async () => {
    for (const name of allHeaders) {
      for (const value of [
        ...['/admin/', '/admin', '/admin/users?x=1', 'admin/', '/', '/other', '?x'],
        ...['/ADMIN/x', '/%61dmin', '/public/../admin/', '/x/..;/admin', '//admin', '\\admin'],
        ...['https://wiki.example.org/admin/', 'HTTP://evil.example:81/admin', '//evil/admin'],
        ...['https:/admin', 'https://wiki.example.org', 'x:y', '/public/\u00fc', '/public/#/x'],
        ...['/public/page, /admin/', '/admin/,/public/page', '/public/page, admin/', ',/admin'],
        ...['/public/page,https://wiki.example.org/admin', '/public/%00', '/public/%ff', '*'],
      ]) {
        await assertDenied({ [name]: value }, `${name}: ${value}`)
      }
    }
  })

  test('who is signed in is denied as well, and a stranger is not asked to sign in', async () => {
    const page = { uri: '/page' }
    assert.equal((await asked(bearer, page)).status, 200)
    for (const name of allHeaders) {
      for (const value of ['/admin/', '/public/x']) {
        await assertDenied({ ...bearer, [name]: value }, name, page)
        await assertDenied({ [name]: value }, name, page)
      }
    }
  })

  test('all values of a header that comes twice count, in either order', async () => {
    for (const name of allHeaders) {
      for (const values of [
        ['/public/page', '/admin/'],
        ['/admin/', '/public/page'],
        ['/public/page', 'admin'],
        ['', '/admin/'],
      ]) {
        const answer = await raw(values.map((value) => `${name}: ${value}`))
        assert.equal(answer.status, 403, `${name}: ${values}`)
        assert.deepEqual(JSON.parse(answer.body), { error: 'Access denied' })
      }
      const same = await raw([`${name}: /public`, `${name}: /public`])
      assert.equal(same.status, 200, name)
    }
  })

  test('an underscore in the name counts as a hyphen, as CGI, WSGI and PHP take it', async () => {
    for (const name of allHeaders) {
      for (const spelling of [name.replaceAll('-', '_'), name.replace('-', '_')]) {
        await assertDenied({ [spelling]: '/admin/' }, spelling)
        await assertDenied({ [name]: '/public/x', [spelling]: '/admin/' }, `${spelling}, ${name}`)
        assert.equal((await asked({ [spelling]: '/public' })).status, 200, spelling)
      }
    }
  })

  test('a prefix is judged before the path as well, and several joined', async () => {
    const mounted = { uri: '/public/page' }
    const elsewhere = { uri: '/page', headers: bearer }
    assert.equal((await askForward(app, elsewhere)).status, 200)
    // Alone, it leads to the rule of /page; before /public/page it does not.
    await assertDenied({ 'x-forwarded-prefix': '/mounted' }, 'before the path', mounted)
    for (const prefix of [
      '/mounted/public',
      '/mounted/public/',
      '/mounted, /public',
      '/x,/../admin',
    ]) {
      const headers = { ...bearer, 'x-forwarded-prefix': prefix }
      await assertDenied(headers, prefix, { uri: '/page' })
    }
    const composed = { ...bearer, 'x-original-uri': '/public', 'x-forwarded-prefix': '/mounted' }
    await assertDenied(composed, 'before a path of another header', { uri: '/page' })
  })

  test('a path of the same rule changes nothing', async () => {
    for (const name of pathHeaders) {
      for (const value of [
        ...[uri, '/public/other', '/public', `https://${host}${uri}`, '', ' ', '/public/a,b'],
        ...['/public/x?q=1,2', '/public/C%C3%A4', '/public/page, /public/page'],
      ]) {
        const answer = await asked({ [name]: value })
        assert.deepEqual([answer.status, answer.text], [200, ''], `${name}: ${value}`)
      }
    }
    for (const prefix of ['/app', '/app/', 'app', 'https://x.example/app', '/a, /b']) {
      const headers = { ...bearer, 'x-forwarded-prefix': prefix }
      const answer = await asked(headers, { uri: '/page' })
      assert.equal(answer.headers['remote-user'], 'ann', prefix)
    }
    const all = Object.fromEntries(allHeaders.map((name, at) => [name, `/page/${at}`]))
    assert.equal((await asked({ ...bearer, ...all }, { uri: '/page' })).status, 200)
    const any = { host: 'any.example.org', uri: '/page' }
    assert.equal((await asked({ 'x-original-url': '/admin/' }, any)).status, 200)
  })

  test('a flood of paths, or of their readings, is denied', async () => {
    const paths = (count: number) =>
      Array.from({ length: count }, (_, n) => `/public/${n}`).join(', ')
    assert.equal((await asked({ 'x-original-url': paths(16) })).status, 200)
    await assertDenied({ 'x-original-url': paths(17) }, '17 paths')
    await assertDenied({ 'x-original-url': paths(400) }, '400 paths')
    const long = `/public/${'x\\.%2e/'.repeat(10)}${'a'.repeat(1000)}`
    const many = Array.from({ length: 8 }, (_, n) => `${long}${n}`).join(', ')
    assert.equal((await asked({ 'x-original-url': `${long}1` })).status, 200)
    await assertDenied({ 'x-original-url': many }, 'readings')
    await assertDenied({ 'x-original-url': `/public/${'%41'.repeat(201)}` }, '201 escapes')
  })

  test('the operator is told which header it was', async () => {
    const answer = await asked({ 'X-Rewrite-URL': '/admin/', 'X-Original-URL': '/public/' })
    const { body } = await app.call('GET', `/api/admin/explain/${answer.headers['x-request-id']}`, {
      headers: app.basic(app.admin),
    })
    const { code, facts } = body as { code: string; facts: object }
    assert.deepEqual([code, facts], ['forward_path_override', { host, header: 'x-rewrite-url' }])
  })

  test('a path of more than 200 escapes and semicolons is denied, and 200 are not', async () => {
    for (const [what, [text, count]] of Object.entries(marks)) {
      const most = Math.floor(200 / count)
      const filled = text.repeat(most) + ';'.repeat(200 - most * count)
      for (const [at, policy] of [
        [{ host }, { 'x-a': 'b' }],
        [{ host: 'any.example.org' }, {}],
      ] as const) {
        const answer = await asked(policy, { ...at, uri: `/public/x/${filled}` })
        assert.equal(answer.status, 200, `${what} at ${at.host}`)
        await assertDenied(policy, what, { ...at, uri: `/public/x/${filled};` })
      }
    }
    await assertDenied(bearer, 'a caller', { uri: `/page/${'%41'.repeat(201)}` })
  })

  test('bytes of UTF-8, a query and what stands beside do not count', async () => {
    for (const long of [
      `/public/${'%C3%A4'.repeat(1000)}`,
      `/public/${'%e6%97%a5/'.repeat(500)}`,
      `/public/?${'%41;'.repeat(1000)}`,
      `/public/${'a-b_c/'.repeat(1000)}`,
      `/public/${'%C3%A4'.repeat(600)}${';'.repeat(200)}`,
    ]) {
      assert.equal((await asked({}, { uri: long })).status, 200, long.slice(0, 30))
    }
  })
})
