import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import { cpuOf } from '../clock.ts'

const required = { path: ['name'], message: 'is required' }
const mounts = ['/users', '/api/v1/users', '/api/v2/users']
const email = 'ann@example.org'

suite('users: what a body may hold', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const post = (json: unknown, path = '/users') => app.call('POST', path, { headers, json })
  const put = (id: number, json: unknown, path = '/users') =>
    app.call('PUT', `${path}/${id}`, { headers, json })
  const raw = (body: string, type = 'application/json') =>
    app.call('POST', '/users', { headers: { ...headers, 'content-type': type }, body })

  /** Status, error text, and that no row of any table is another than before. */
  async function refused(ask: () => Promise<Answer>, error: string, paths?: string[][]) {
    const before = await app.rows('throttle_places')
    const answer = await ask()
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.error, error)
    if (paths) {
      const told: string[][] = answer.body.details.map(({ path }: { path: string[] }) => path)
      for (const path of paths) assert.ok(told.some((one) => String(one) === String(path)))
      for (const path of told) assert.ok(paths.some((one) => String(one) === String(path)))
    }
    assert.deepEqual(await app.rows('throttle_places'), before)
  }

  const target = (await post({ name: 'Target', email })).body.id

  for (const value of [5, 0, -1.5, true, false, ['a'], [], {}, { a: 1 }, [null]]) {
    test(`T70: nothing is coerced: name and email ${JSON.stringify(value)} are 400`, async () => {
      for (const path of mounts) {
        const wrong = 'Validation failed'
        await refused(() => post({ name: value, email }, path), wrong, [['name']])
        await refused(() => post({ name: 'A', email: value }, path), wrong, [['email']])
        await refused(() => put(target, { name: value }, path), wrong, [['name']])
        await refused(() => put(target, { email: value }, path), wrong, [['email']])
      }
    })
  }

  const absent: readonly [string, unknown][] = [
    ['no field', {}],
    ['no email', { name: 'A' }],
    ['no name', { email }],
    ['null name', { name: null, email }],
    ['null email', { name: 'A', email: null }],
    ['null name and a bad email', { name: null, email: 'x' }],
    ['another spelling', { Name: 'A', EMAIL: email }],
  ]
  for (const [what, json] of absent) {
    test(`${what}: v1 answers "Name and email required" with details, v2 "Validation failed"`, async () => {
      for (const path of ['/users', '/api/v1/users']) {
        await refused(() => post(json, path), 'Name and email required')
        assert.ok(Array.isArray((await post(json, path)).body.details))
      }
      await refused(() => post(json, '/api/v2/users'), 'Validation failed')
    })
  }

  test('every violation is told at once', async () => {
    await refused(() => post({ name: '', email: 'x' }), 'Validation failed', [['name'], ['email']])
    const { body } = await post({}, '/api/v2/users')
    assert.deepEqual(body.details, [required, { ...required, path: ['email'] }])
  })

  for (const body of ['[]', '"text"', '5', 'null', 'true', '[{"name":"A","email":"a@b.co"}]']) {
    test(`JSON that is no object (${body}) is "Validation failed" with an empty path`, () =>
      refused(() => raw(body), 'Validation failed', [[]]))
  }

  const unparsable: readonly [string, string, string?][] = [
    ['nothing', ''],
    ['a fragment', '{"name":'],
    ['two values', '{} {}'],
    ['a NUL', '\0'],
    ['a form', `name=A&email=${email}`, 'application/x-www-form-urlencoded'],
    ['text/plain', JSON.stringify({ name: 'A', email }), 'text/plain'],
    ['T74: depth 100,000', '['.repeat(100_000)],
  ]
  for (const [what, body, type] of unparsable) {
    test(`${what} as body is 400 "Invalid request body"`, async () => {
      await refused(() => raw(body, type), 'Invalid request body')
    })
  }

  const stored: readonly [string, string][] = [
    ['1 code point', 'a'],
    ['100 code points', 'n'.repeat(100)],
    ['100 emoji of two units', '😀'.repeat(100)],
    ['100 code points of combining marks', 'é'.normalize('NFD').repeat(50)],
    ['the right-to-left override', 'a‮b'],
    ['quotes and a comment', `'); drop table users;-- "`],
    ['markup', '<script>alert(1)</script>\r\n\t'],
    ['a space', ' '],
    ['__proto__', '__proto__'],
  ]
  for (const [what, name] of stored) {
    test(`T71: a name of ${what} is stored and answered as it came`, async () => {
      const made = await post({ name, email })
      assert.equal(made.status, 201)
      assert.deepEqual(made.body, { id: made.body.id, name, email })
      const read = await app.call('GET', `/users/${made.body.id}`, { headers })
      assert.deepEqual(read.body, made.body)
      assert.deepEqual((await put(target, { name })).body, { id: target, name, email })
    })
  }

  const refusedNames: readonly [string, string][] = [
    ['no character', '""'],
    ['101 code points', JSON.stringify('n'.repeat(101))],
    ['101 emoji', JSON.stringify('😀'.repeat(101))],
    ['a NUL', '"a\\u0000b"'],
    ['a high surrogate alone', '"\\ud800"'],
    ['a low surrogate alone', '"a\\udc00b"'],
    ['surrogates the wrong way round', '"\\udc00\\ud800"'],
    ['a megabyte less a little', JSON.stringify('n'.repeat(1_000_000))],
  ]
  for (const [what, name] of refusedNames) {
    test(`T71: a name of ${what} is 400`, () =>
      refused(() => raw(`{"name":${name},"email":"${email}"}`), 'Validation failed', [['name']]))
  }

  const label = (length: number) => 'd'.repeat(length)
  const of = (length: number) => {
    const local = 'l'.repeat(64)
    const domain = `${label(63)}.${label(63)}.${label(63)}`
    return `${local}@${domain.slice(0, length - 65 - 3)}.co`
  }
  const addresses: readonly [string, boolean][] = [
    [of(254), true],
    [of(255), false],
    ['a@b.co', true],
    ["!#$%&'*+/=?^_`{|}~-x@example.org", true],
    ['a.b.c@sub.example.org', true],
    [`${'l'.repeat(65)}@example.org`, false],
    ['', false],
    ['a', false],
    ['@b.co', false],
    ['a@', false],
    ['a@b@c.co', false],
    ['a b@c.co', false],
    ['.a@b.co', false],
    ['a.@b.co', false],
    ['a..b@c.co', false],
    ['a@b..co', false],
    ['a@-b.co', false],
    ['a@b-.co', false],
    [`a@${label(64)}.co`, false],
    ['a@b.co\n', false],
    [' a@b.co', false],
    ['a@b.co\0', false],
    ['a@b.co\r\nBcc: x@y.co', false],
    ['Ann <a@b.co>', false],
    ['a@b.co,c@d.co', false],
    ["'or'1'='1", false],
  ]
  for (const [address, isValid] of addresses) {
    const shown = address.length > 60 ? `${address.length} characters` : JSON.stringify(address)
    test(`the e-mail address ${shown} is ${isValid ? 'taken as it is' : '400'}`, async () => {
      if (!isValid) {
        await refused(() => post({ name: 'A', email: address }), 'Validation failed', [['email']])
        return refused(() => put(target, { email: address }), 'Validation failed', [['email']])
      }
      const made = await post({ name: 'A', email: address })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.body.email, address)
    })
  }

  test('T74: an address made for backtracking is refused within 100 ms of work', async () => {
    for (const local of ['a.'.repeat(400_000), 'a@'.repeat(400_000), 'a'.repeat(900_000)]) {
      const email = `a@${local}`
      const times: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const { cpuMs, result } = await cpuOf(() => post({ name: 'A', email }))
        times.push(cpuMs)
        assert.deepEqual([result.status, result.body.error], [400, 'Validation failed'])
      }
      assert.ok(Math.min(...times) < 100, `${times} ms`)
    }
  })

  test('e-mail addresses are not unique, and their case is kept', async () => {
    const one = await post({ name: 'A', email: 'Same@Example.org' })
    const two = await post({ name: 'A', email: 'Same@Example.org' })
    assert.deepEqual([one.status, two.status], [201, 201])
    assert.notEqual(one.body.id, two.body.id)
    assert.equal(two.body.email, 'Same@Example.org')
  })

  const extra = {
    id: 777_777,
    roles: ['ADMIN'],
    locked: true,
    active: false,
    password: 'a password of nobody',
    password_hash: 'x',
    created_at: 0,
    username: 'mallory',
    user_id: 1,
    name_key: 'zzz',
    email_key: 'zzz',
    import_id: 1,
    nested: { id: 5 },
  }
  test('T75: unknown and server-side fields of a user are ignored and never stored', async () => {
    for (const path of mounts) {
      const before = await app.rows('users', 'row_counts', 'throttle_places')
      const made = await post({ ...extra, name: 'Mass', email }, path)
      assert.equal(made.status, 201)
      const { id } = made.body
      assert.notEqual(id, extra.id)
      assert.deepEqual(made.body, { id, name: 'Mass', email })
      assert.deepEqual((await put(id, extra, path)).body, { id, name: 'Mass', email })
      assert.equal((await app.call('GET', `${path}/${extra.id}`, { headers })).status, 404)
      assert.deepEqual(await app.rows('users', 'row_counts', 'throttle_places'), before)
      const row = await app.deps.db
        .selectFrom('users')
        .select(['id', 'name', 'email', 'name_key', 'email_key', 'import_id'])
        .where('id', '=', id)
        .executeTakeFirst()
      const keys = { name_key: 'mass', email_key: email }
      assert.deepEqual({ ...row }, { id, name: 'Mass', email, ...keys, import_id: null })
    }
  })

  test('PUT merges what is given, and an empty object changes nothing', async () => {
    const { body } = await post({ name: 'Before', email })
    assert.deepEqual((await put(body.id, {})).body, body)
    assert.deepEqual((await put(body.id, { name: 'After' })).body, { ...body, name: 'After' })
    const changed = { ...body, name: 'After', email: 'b@example.org' }
    assert.deepEqual((await put(body.id, { email: 'b@example.org' })).body, changed)
  })

  const noIds = [
    '0',
    '-1',
    '+1',
    '1e3',
    '1e0',
    '0x1',
    '1.5',
    '1.0',
    '1%00',
    '%001',
    '1%20',
    '1%0a',
    '%EF%BC%91',
    '1;x=1',
    '1,2',
    'NaN',
    'null',
    'undefined',
    "1'--",
    '1%20or%201=1',
    '__proto__',
    '9007199254740992',
    '9007199254740993',
    '18446744073709551617',
    '4294967297',
    '1'.repeat(4000),
  ]
  test('T78: an id that is no positive integer is 404 by every method and touches no row', async () => {
    const before = await app.rows('throttle_places')
    for (const id of noIds) {
      for (const [method, path] of ['GET', 'PUT', 'DELETE'].flatMap((m) =>
        mounts.map((p) => [m, p] as const),
      )) {
        const json = method === 'PUT' ? { json: { name: 'taken over' } } : {}
        const answer = await app.call(method, `${path}/${id}`, { headers, ...json })
        assert.equal(answer.status, 404, `${method} ${path}/${id.slice(0, 30)}`)
        assert.deepEqual(answer.body, { error: 'User not found' })
      }
    }
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  test('T78: 01 and %31 are the user 1 for the rule as well as for the row', async () => {
    const bob = await app.account('bob')
    for (const id of ['01', '%31', '0000000000000001']) {
      const call = { headers: app.basic(bob), json: { name: 'taken over' } }
      const answer = await app.call('PUT', `/users/${id}`, call)
      assert.deepEqual([answer.status, answer.body], [403, { error: 'Access denied' }])
    }
    assert.equal((await app.call('GET', '/users/1', { headers })).body.name, 'Administrator')
  })
})

suite('users: ids', async () => {
  test('the id of a deleted user is never given again, not even after a restart', async () => {
    const first = await testApp()
    const make = async (app: typeof first) => {
      const json = { name: 'A', email }
      return (await app.call('POST', '/users', { headers: app.basic(app.admin), json })).body.id
    }
    const last = await make(first)
    const gone = await first.call('DELETE', `/users/${last}`, { headers: first.basic(first.admin) })
    assert.deepEqual(gone.body, { id: last, name: 'A', email })
    const next = await make(first)
    assert.ok(next > last)
    await first.call('DELETE', `/users/${next}`, { headers: first.basic(first.admin) })
    await first.app.server.close()
    const again = await testApp({}, { directory: first.directory })
    assert.ok((await make(again)) > next)
    await again.close()
  })
})
