import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ConfigError } from '../../src/core/config/load.ts'
import { type Answer, type Headers, testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { ask } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const page = 'https://app.example'
const other = 'https://other.example:8443'
const base = 'https://id.example.org'
const evil = 'https://evil.example'
const site = (value: string): Headers => ({ 'sec-fetch-site': value })
const from = (origin: string): Headers => ({ origin })

const foreign = [
  ...[evil, 'null', 'https://app.example.evil.example', 'https://evilapp.example', 'https://app'],
  ...['http://app.example', 'https://app.example:8443', 'https://app.example:443', 'app.example'],
  ...['HTTPS://APP.EXAMPLE', 'https://App.example', 'https://app.example/', 'https://app.example.'],
  ...['https://other.example', 'https://app.example@evil.example', 'https://x.app.example', '*'],
  ...['https://appxexample', `${page}, ${evil}`, `${page} ${evil}`, `${page}%00`, '', base],
]

suite('cross-origin calls', async () => {
  const app = await testApp({ CORS_ORIGINS: `${page},${other}`, BASE_URL: base })
  const admin = await app.bearer(app.admin)
  const user = await app.bearer(await app.account('ursula'))
  const { port } = await app.listen()
  const preflight = { 'access-control-request-method': 'PUT' }

  for (const origin of foreign) {
    test(`T90: origin ${JSON.stringify(origin)} is allowed nothing`, async () => {
      for (const [method, path, headers] of [
        ['GET', '/api/public/status', {}],
        ['GET', '/users', admin],
        ['GET', '/users', {}],
        ['OPTIONS', '/users', preflight],
        ['OPTIONS', '/nowhere', preflight],
      ] as const) {
        const answer = await app.call(method, path, { headers: { ...headers, origin } })
        assert.equal(answer.headers['access-control-allow-origin'], undefined, path)
        assert.match(String(answer.headers.vary), /\bOrigin\b/i, path)
        assertHeaders(answer, path)
      }
    })
  }

  test('T90: two Origin fields are a bad request, whichever comes first', async () => {
    for (const [first, second] of [
      [page, evil],
      [evil, page],
      [page, page],
    ]) {
      const answer = await ask(port, `GET /users HTTP/1.1\r\nOrigin: ${first}`, {
        Origin: String(second),
      })
      assertRefusal(answer, 400, 'Bad request')
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
  })

  test('T91: an allowed origin is echoed exactly, with credentials, on successes and errors', async () => {
    const json = 'application/json'
    const rows: readonly [number, string, string, Headers, string?][] = [
      [200, 'GET', '/users', admin],
      [200, 'GET', '/health/live', {}],
      [401, 'GET', '/users', {}],
      [403, 'GET', '/api/admin/accounts', user],
      [404, 'GET', '/nowhere', {}],
      [400, 'POST', '/login', { 'content-type': json }, '{'],
      [413, 'POST', '/login', { 'content-type': json }, ' '.repeat(1_048_577)],
    ]
    for (const origin of [page, other]) {
      for (const [status, method, path, headers, body] of rows) {
        const sent = { headers: { ...headers, origin }, ...(body !== undefined && { body }) }
        const answer = await app.call(method, path, sent)
        assert.equal(answer.status, status, path)
        assert.equal(answer.headers['access-control-allow-origin'], origin, path)
        assert.equal(answer.headers['access-control-allow-credentials'], 'true', path)
        assert.match(String(answer.headers.vary), /\bOrigin\b/i, path)
        const exposed = 'ETag, Retry-After, X-Total-Count, X-Request-Id'
        assert.equal(answer.headers['access-control-expose-headers'], exposed, path)
        assertHeaders(answer, path)
      }
    }
  })

  test('T91: without an Origin nothing is allowed, but caches are told that it matters', async () => {
    const answer = await app.call('GET', '/health/live')
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
    assert.match(String(answer.headers.vary), /\bOrigin\b/i)
  })

  test('T92: a preflight names the methods and headers of the contract for every request', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'X']) {
      for (const path of ['/users', '/api/transfer', '/api/admin/accounts', '/login']) {
        const answer = await app.call('OPTIONS', path, {
          headers: {
            origin: page,
            'access-control-request-method': method,
            'access-control-request-headers': 'x-csrf-token, x-evil',
          },
        })
        assert.deepEqual([answer.status, answer.text], [204, ''])
        assert.equal(answer.headers['access-control-allow-origin'], page)
        assert.equal(answer.headers['access-control-allow-credentials'], 'true')
        assert.equal(answer.headers['access-control-allow-methods'], 'GET, POST, PUT, DELETE')
        const allowed = 'Content-Type, Authorization, X-CSRF-Token, If-Match, Idempotency-Key'
        assert.equal(answer.headers['access-control-allow-headers'], allowed)
        assert.deepEqual(answer.cookies, {})
        assertHeaders(answer)
      }
    }
  })

  test('T93: * is refused in production, and echoes the origin elsewhere', async () => {
    const production = { NODE_ENV: 'production', BASE_URL: base, TRUST_PROXY: 'none' }
    for (const CORS_ORIGINS of ['*', `${page},*`]) {
      assert.throws(
        () => loadConfig({ ...production, CORS_ORIGINS }),
        (error) => error instanceof ConfigError && error.message.includes('CORS_ORIGINS'),
      )
    }
    const open = await testApp({ CORS_ORIGINS: '*' })
    const answer = await open.call('GET', '/health/live', { headers: from(evil) })
    assert.equal(answer.headers['access-control-allow-origin'], evil)
    await open.close()
  })

  const { username, password } = app.admin
  const logins: readonly [string, Headers, boolean][] = [
    ['no header of a browser', {}, true],
    ['the own origin', from(base), true],
    [
      'the origin of the Host header',
      { ...from('http://in.example:81'), host: 'in.example:81' },
      true,
    ],
    ['an allowed origin', from(page), true],
    ['a foreign origin', from(evil), false],
    ['the origin null', from('null'), false],
    ['an empty origin', from(''), false],
    ['an origin that is no URL', from('evil'), false],
    ['an origin that begins with the own', from(`${base}.evil.example`), false],
    ['the own origin at another port', from(`${base}:8443`), false],
    ['the own host without TLS', from('http://id.example.org'), false],
    ['same-origin', { ...site('same-origin'), ...from(base) }, true],
    ['same-origin, origin null', { ...site('same-origin'), ...from('null') }, true],
    ['same-site', { ...site('same-site'), ...from('https://www.example.org') }, false],
    ['same-site, no origin', site('same-site'), false],
    ['same-site from an allowed origin', { ...site('same-site'), ...from(page) }, true],
    ['a site that no browser sends', { ...site('Same-Origin'), ...from(evil) }, false],
    ['two sites', { ...site('same-origin, cross-site'), ...from(evil) }, false],
    ['the address bar', site('none'), true],
    ['cross-site', { ...site('cross-site'), ...from(evil) }, false],
    ['cross-site, origin null', { ...site('cross-site'), ...from('null') }, false],
    ['cross-site, no origin', site('cross-site'), false],
    ['cross-site from an allowed origin', { ...site('cross-site'), ...from(page) }, true],
    [
      'cross-site as a navigation',
      { ...site('cross-site'), ...from(evil), 'sec-fetch-mode': 'navigate' },
      false,
    ],
  ]
  for (const [what, headers, isAllowed] of logins) {
    test(`T54: a login by ${what} is ${isAllowed ? 'answered' : '403, and nothing happens'}`, async () => {
      for (const mode of ['session', 'token', 'pair']) {
        const before = await app.rows()
        const credentials = { username, password, mode }
        for (const body of [{ form: credentials }, { json: credentials }]) {
          const answer = await app.call('POST', '/login', { headers, ...body })
          if (isAllowed) {
            assert.equal(answer.status, 200)
            continue
          }
          assertRefusal(answer, 403, 'Access denied')
          assert.deepEqual(answer.cookies, {})
          assert.deepEqual(await app.rows(), before)
        }
      }
    })
  }

  test('T54: a refused cross-site login takes no place of the throttle and ends no session', async () => {
    const session = await app.session(app.admin)
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const headers = { ...session, ...site('cross-site'), ...from(evil) }
      const answer = await app.call('POST', '/login', {
        headers,
        form: { username, password: 'wrong password' },
      })
      assertRefusal(answer, 403, 'Access denied')
    }
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 200)
  })

  test('T54: /refresh answers to the token alone, never to a cookie that a browser adds', async () => {
    const headers = { ...(await app.session(app.admin)), ...site('cross-site'), ...from(evil) }
    assertRefusal(await app.call('POST', '/refresh', { headers }), 401, 'Invalid refresh token')
  })

  const basic = app.basic(app.admin)
  const unsafe: readonly [string, Headers, number][] = [
    ['Basic, cross-site', { ...basic, ...site('cross-site'), ...from(evil) }, 403],
    [
      'Basic, cross-site with the origin null',
      { ...basic, ...site('cross-site'), ...from('null') },
      403,
    ],
    ['Basic, cross-site without an origin', { ...basic, ...site('cross-site') }, 403],
    [
      'Basic, cross-site from an allowed origin',
      { ...basic, ...site('cross-site'), ...from(page) },
      201,
    ],
    ['Basic, same-origin', { ...basic, ...site('same-origin'), ...from(base) }, 201],
    ['Basic, without fetch metadata', basic, 201],
    ['a bearer token, cross-site', { ...admin, ...site('cross-site'), ...from(evil) }, 201],
    ['a session with its token', { ...(await app.session(app.admin)), ...from(page) }, 201],
  ]
  for (const [what, headers, status] of unsafe) {
    test(`an unsafe method with ${what} is ${status}`, async () => {
      const made = await app.account(`target-${unsafe.findIndex(([name]) => name === what)}`)
      const before = await app.rows()
      const json = { name: 'Ann', email: 'ann@example.org' }
      const answers: Answer[] = [await app.call('POST', '/users', { headers, json })]
      if (status === 201) return assert.equal(answers[0]?.status, 201)
      for (const path of [`/users/${made.userId}`, `/api/admin/accounts/${made.username}`]) {
        answers.push(await app.call('PUT', path, { headers, json: { ...json, locked: true } }))
        answers.push(await app.call('DELETE', path, { headers }))
      }
      for (const answer of answers) assertRefusal(answer, 403, 'Access denied')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('cross-site Basic may read, and wrong Basic stays a 401', async () => {
    const crossSite = { ...site('cross-site'), ...from(evil) }
    const read = await app.call('GET', '/users/1', { headers: { ...basic, ...crossSite } })
    assert.equal(read.status, 200)
    const wrong = app.basic({ ...app.admin, password: 'not the password' })
    const refused = await app.call('DELETE', '/users/1', { headers: { ...wrong, ...crossSite } })
    assertRefusal(refused, 401, 'Authentication required')
  })

  test('a cross-site request with a session cookie alone is 403 "CSRF token invalid"', async () => {
    const { cookie } = await app.session(app.admin)
    const before = await app.rows('sessions')
    const headers = { cookie, ...site('cross-site'), ...from(evil) }
    for (const [method, path] of [
      ['POST', '/api/transfer'],
      ['DELETE', '/users/2'],
    ] as const) {
      assertRefusal(await app.call(method, path, { headers }), 403, 'CSRF token invalid')
    }
    assert.deepEqual(await app.rows('sessions'), before)
  })

  const basicChallenge = 'Basic realm="API", charset="UTF-8"'
  const fetches: readonly [Headers, boolean][] = [
    [{}, true],
    [{ 'sec-fetch-mode': 'cors' }, true],
    [{ ...from(page) }, true],
    [{ ...site('none'), 'sec-fetch-mode': 'navigate' }, true],
    [{ ...site('cross-site'), 'sec-fetch-mode': 'navigate' }, true],
    [{ ...site('same-origin'), 'sec-fetch-mode': 'cors' }, false],
    [{ ...site('same-origin'), 'sec-fetch-mode': 'same-origin' }, false],
    [{ ...site('cross-site'), 'sec-fetch-mode': 'no-cors' }, false],
    [{ ...site('same-site'), 'sec-fetch-mode': 'cors' }, false],
    [{ ...site('same-origin') }, false],
  ]
  for (const [headers, isChallenged] of fetches) {
    const shown = Object.values(headers).join(' ') || 'no header'
    test(`a 401 to ${shown} ${isChallenged ? 'names' : 'leaves out'} the Basic challenge`, async () => {
      const noColon = { authorization: `Basic ${Buffer.from('nocolon').toString('base64')}` }
      for (const credential of [{}, noColon]) {
        const answer = await app.call('GET', '/users', { headers: { ...headers, ...credential } })
        assertRefusal(answer, 401, 'Authentication required')
        const challenges = [answer.headers['www-authenticate'] ?? []].flat()
        assert.equal(challenges.includes(basicChallenge), isChallenged)
        assert.equal(challenges.filter((text) => /^Bearer /.test(String(text))).length, 1)
        assert.equal(challenges.length, isChallenged ? 2 : 1)
      }
      const me = await app.call('GET', '/api/me', { headers })
      assert.doesNotMatch(String(me.headers['www-authenticate']), /Basic/)
    })
  }
})
