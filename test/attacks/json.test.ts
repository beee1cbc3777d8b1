import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type Headers, testApp } from '../app.ts'
import { cpuOf } from '../clock.ts'
import { assertRefusal } from '../refusal.ts'
import { vectors, vectorsTest } from '../vectors.ts'

interface Case {
  readonly name: string
  readonly expect: 'accept' | 'reject' | 'either'
  readonly base64: string
}

// The other tables here need nothing.
const corpus = 'json-test-suite/parsing-cases.json'
const cases = vectors<{ readonly cases: readonly Case[] }>(corpus)?.cases ?? []

// The same question in small: grammar of RFC 8259, byte for byte.
const ownCases: readonly Case[] = [
  ...['{}', '[]', 'null', '0', '""', ' {} ', '{"a":"\\u0000"}', '[1e5]', '{"":0}'].map(
    caseOf('accept'),
  ),
  ...['', ' ', '{', '{]', '[1,]', "{'a':1}", '{a:1}', '[NaN]', '[01]', '[.5]', '[+1]', '{}x'].map(
    caseOf('reject'),
  ),
  ...['{"a":1,}', '// x\n{}', '["\t"]', '["\\x"]', '{"a":1}{"b":2}', '\u00a0{}', 'undefined'].map(
    caseOf('reject'),
  ),
  ...['ff', 'c080', 'eda080', '7b22c0223a317d', 'fffe7b007d00', '005b005d', 'efbb', '1f8b08'].map(
    (hex) => ({ name: hex, expect: 'reject' as const, base64: bytes(hex).toString('base64') }),
  ),
  { name: 'a byte order mark', expect: 'either', base64: bytes('efbbbf7b7d').toString('base64') },
]

// Of /login and /refresh; what is longer is not parsed.
const fewFields = 16_384

suite('JSON bodies', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' })
  const admin = await app.bearer(app.admin)
  const json = { ...admin, 'content-type': 'application/json' }

  async function post(path: string, body: string | Buffer, headers: Headers = json) {
    const length = { 'content-length': `${Buffer.byteLength(body)}` }
    const call = { headers: { ...headers, ...length }, body }
    const { cpuMs, result } = await cpuOf(() => app.call('POST', path, call))
    assert.ok(cpuMs < 1000, `${path} cost ${cpuMs} ms`)
    return result
  }

  function assertExpected(answer: Answer, { name, expect }: Case): void {
    if (expect === 'reject') assertRefusal(answer, 400, 'Invalid request body', name)
    if (expect === 'accept') assert.notEqual(answer.body.error, 'Invalid request body', name)
    assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.status}`)
  }

  function assertTooLarge(answer: Answer): void {
    assertRefusal(answer, 413, 'Request body too large')
  }

  vectorsTest(corpus, 'JSONTestSuite is read whole', () => {
    const count = (expect: string) => cases.filter((one) => one.expect === expect).length
    const counts = [count('accept'), count('reject'), count('either')]
    assert.deepEqual(counts, [95, 188, 35])
  })

  for (const [source, table] of [
    ['RFC 8259', ownCases],
    ...(cases.length > 0 ? [['JSONTestSuite', cases] as const] : []),
  ] as const) {
    for (const path of ['/users', '/api/v2/users', '/login']) {
      test(`${source}: POST ${path} reads what is JSON and refuses what is not`, async () => {
        const before = await app.rows()
        for (const one of table) {
          const body = Buffer.from(one.base64, 'base64')
          const answer = await post(path, body)
          if (path === '/login' && body.length > fewFields) assertTooLarge(answer)
          else assertExpected(answer, one)
        }
        assert.deepEqual(await app.rows(), before)
      })
    }
    test(`${source}: PUT /users/1 and POST /refresh agree with them`, async () => {
      const before = await app.rows()
      for (const one of table.filter(({ expect }) => expect === 'reject')) {
        const body = Buffer.from(one.base64, 'base64')
        const headers = { ...json, 'content-length': `${body.length}` }
        assertExpected(await app.call('PUT', '/users/1', { headers, body }), one)
        const refresh = await post('/refresh', body)
        if (body.length > fewFields) assertTooLarge(refresh)
        else assertExpected(refresh, one)
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  const polluting = [
    '"__proto__":{"roles":["ADMIN"]}',
    '"\\u005f_proto__":{"roles":["ADMIN"]}',
    '"x":{"y":[{"__proto__":{"roles":["ADMIN"]}}]}',
    '"constructor":{"prototype":{"roles":["ADMIN"]}}',
    '"x":[{"constructor":{"prototype":{"__proto__":{"roles":["ADMIN"]}}}}]',
    '"constructor":"ADMIN"',
    '"prototype":{"roles":["ADMIN"]}',
    '"__proto__":null',
    '"__proto__":{"name":"Eve","email":"eve@example.org","username":"admin","password":"x"}',
  ]
  test('T68: a name of a prototype is an unknown field: ignored, and it grants nothing', async () => {
    const headers = { ...json, ...(await app.bearer(app.admin)) }
    const user = '"name":"Ann","email":"ann@example.org"'
    for (const fields of polluting) {
      for (const path of ['/users', '/api/v2/users']) {
        for (const body of [`{${user},${fields}}`, `{${fields},${user}}`]) {
          const made = await app.call('POST', path, { headers, body })
          assert.equal(made.status, 201, body)
          const { id } = made.body
          assert.deepEqual(made.body, { id, name: 'Ann', email: 'ann@example.org' }, body)
          const changed = await app.call('PUT', `${path}/${id}`, { headers, body: `{${fields}}` })
          assert.deepEqual(changed.body, made.body, body)
          const read = await app.call('GET', `${path}/${id}`, { headers })
          assert.deepEqual(read.body, made.body, body)
        }
      }
      const missing = await post('/users', `{${fields}}`)
      assert.deepEqual([missing.status, missing.body.error], [400, 'Name and email required'])
    }
    assert.equal(({} as { roles?: unknown }).roles, undefined)
  })

  const bodies = app.app.routes().filter(({ body }) => !['none', 'lines'].includes(body))
  for (const { method, url } of bodies) {
    test(`T68: ${method} ${url} answers a body of such names as an empty object`, async () => {
      const headers = { ...json, ...(await app.bearer(app.admin)) }
      const path = url.replace(/:\w+/g, '1')
      const answerTo = async (body: string) => {
        const { status, body: answered } = await app.call(method, path, { headers, body })
        return [status, answered.error, answered.details]
      }
      const expected = await answerTo('{}')
      for (const fields of polluting) {
        assert.deepEqual(await answerTo(`{${fields}}`), expected, fields)
      }
      assert.equal(({} as { roles?: unknown }).roles, undefined)
    })
  }

  test('T68: a form or a query that names a prototype changes no object', async () => {
    const before = await app.rows()
    const names = [
      '__proto__',
      '__proto__[roles]',
      '__proto__.roles',
      'constructor[prototype][roles]',
    ]
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const name of names) {
      const body = `${encodeURIComponent(name)}=ADMIN&username=x`
      assertRefusal(await post('/login', body, form), 401, 'Invalid credentials', name)
      assertRefusal(await post('/refresh', body, form), 401, 'Invalid refresh token', name)
      for (const path of ['/users', '/api/v2/users', '/api/admin/accounts', '/health/live']) {
        const answer = await app.call('GET', `${path}?${body}`, { headers: admin })
        assert.equal(answer.status, 200, `${path} ${name}`)
      }
    }
    const fresh: { roles?: unknown; username?: unknown } = {}
    assert.deepEqual([fresh.roles, fresh.username], [undefined, undefined])
    assert.deepEqual(await app.rows(), before)
  })

  test('T69: of a name that comes twice the last counts, in every version', async () => {
    for (const path of ['/users', '/api/v1/users', '/api/v2/users']) {
      const first = '{"name":5,"email":"x","name":"Ann","email":"ann@example.org"}'
      const made = await post(path, first)
      assert.equal(made.status, 201)
      assert.deepEqual([made.body.name, made.body.email], ['Ann', 'ann@example.org'])
      const before = await app.rows()
      const last = '{"name":"Ann","email":"ann@example.org","\\u006eame":5}'
      const refused = await post(path, last)
      assert.deepEqual([refused.status, refused.body.error], [400, 'Validation failed'])
      assert.deepEqual(await app.rows(), before)
    }
    const roles = `{"username":"twice","password":"a pass phrase of its own","name":"T","email":"t@example.org","roles":["ADMIN"],"roles":["USER"]}`
    const account = await post('/api/admin/accounts', roles)
    assert.deepEqual([account.status, account.body.roles], [201, ['USER']])
    const { username, password } = app.admin
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const twice = new URLSearchParams([
      ...pairs({ username, password: 'wrong' }),
      ['password', password],
    ])
    assert.equal((await post('/login', twice.toString(), form)).status, 200)
  })

  test('T69: names that differ in Unicode form alone are different names', async () => {
    const made = await post(
      '/users',
      '{"name":"Ann","ｎame":5,"NAME":5,"name\\u0000":5,"email":"a@b.example"}',
    )
    assert.deepEqual([made.status, made.body.name], [201, 'Ann'])
  })

  const values = [
    '5',
    '-0',
    '1.5',
    '["a"]',
    '[]',
    'true',
    'false',
    '{}',
    '{"a":1}',
    '[["a"]]',
    '1e999',
  ]
  test('T70: no type is turned into text', async () => {
    const before = await app.rows()
    for (const value of values) {
      for (const path of ['/users', '/api/v2/users']) {
        for (const body of [
          `{"name":${value},"email":"ann@example.org"}`,
          `{"name":"Ann","email":${value}}`,
          `{"name":${value},"email":${value}}`,
        ]) {
          const answer = await post(path, body)
          assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'], body)
          assert.ok(answer.body.details.length > 0)
        }
      }
      const name = await post('/login', `{"username":${value},"password":"x"}`)
      assertRefusal(name, 401, 'Invalid credentials', value)
      const password = await post('/login', `{"username":"admin","password":${value}}`)
      assertRefusal(password, 401, 'Invalid credentials', value)
      assertRefusal(
        await post('/refresh', `{"refresh_token":${value}}`),
        401,
        'Invalid refresh token',
      )
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('T70: null is absent in v1 and a wrong type in v2', async () => {
    const body = '{"name":null,"email":"ann@example.org"}'
    const [v1, v2] = [await post('/users', body), await post('/api/v2/users', body)]
    assert.deepEqual([v1.status, v1.body.error], [400, 'Name and email required'])
    assert.deepEqual([v2.status, v2.body.error], [400, 'Validation failed'])
  })
})

function caseOf(expect: Case['expect']) {
  return (text: string): Case => ({
    name: JSON.stringify(text),
    expect,
    base64: Buffer.from(text).toString('base64'),
  })
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}

function pairs(fields: Record<string, string>): string[][] {
  return Object.entries(fields)
}
