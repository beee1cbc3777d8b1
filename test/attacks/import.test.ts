// A database makes a difference: imports meet other writers, and each other.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { realHashes, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { connectTo, databaseSettings } from '../database.ts'
import { allHashes, pbkdf2Hash } from '../hashes.ts'
import { assertRefusal } from '../refusal.ts'
import { importLines, line, ndjson, openImport, someHash } from '../transfer.ts'
import { until } from '../until.ts'

const many = (prefix: string, count = 600) =>
  Array.from({ length: count }, (_, index) => line(`${prefix}${index}`))
const purge = ({ app }: TestApp) => app.jobs.find(({ name }) => name === 'dead imports')?.run()

suite('hostile lines', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)

  const argon2 = (costs: string, more = `$${'A'.repeat(22)}$${'A'.repeat(43)}`) =>
    `$argon2id$v=19$${costs}${more}`
  const form = 'must be a bcrypt, Argon2 or PBKDF2 hash in the form that this service verifies'
  const hashes: readonly [string, string, string?][] = [
    ['nothing', ''],
    ['a plain password', 'correct horse battery'],
    ['an MD5 hash', '$1$salt$qJH7.N4xYta3aEG/dfqo/0'],
    ['a SHA-512 crypt', `$6$salt$${'a'.repeat(86)}`],
    [
      '4 GiB of memory',
      argon2('m=4194304,t=1,p=1'),
      'has too high a memory cost (m): 262144 at most',
    ],
    [
      'a billion passes',
      argon2('m=8,t=999999999,p=1'),
      'has too high a number of passes (t): 64 at most',
    ],
    ['ten digits of memory', argon2('m=4294967295,t=1,p=1')],
    ['many lanes', argon2('m=8192,t=1,p=1024'), 'has too high a parallelism (p): 16 at most'],
    [
      'much memory often',
      argon2('m=262144,t=5,p=1'),
      'has too high a product of memory and passes: 1048576 at most',
    ],
    ['less memory than lanes need', argon2('m=8,t=1,p=2')],
    ['no version', argon2('m=64,t=1,p=1').replace('v=19$', '')],
    ['another version', argon2('m=64,t=1,p=1').replace('v=19', 'v=18')],
    ['a zero before the memory', argon2('m=064,t=1,p=1')],
    ['no passes', argon2('m=64,t=0,p=1')],
    ['a short salt', argon2('m=64,t=1,p=1', `$AAAA$${'A'.repeat(43)}`)],
    ['a short hash', argon2('m=64,t=1,p=1', `$${'A'.repeat(22)}$AAAA`)],
    ['bits behind the end', argon2('m=64,t=1,p=1', `$${'A'.repeat(22)}$${'A'.repeat(42)}B`)],
    ['a line feed', `${argon2('m=64,t=1,p=1')}\n`],
    ['a NUL', `${argon2('m=64,t=1,p=1')}\0`],
    ['kilobytes', argon2('m=64,t=1,p=1', `$${'A'.repeat(22)}$${'A'.repeat(4000)}`)],
    ['bcrypt at cost 31', someHash.replace('$04$', '$31$'), 'has too high a cost: 14 at most'],
    ['bcrypt at cost 99', someHash.replace('$04$', '$99$')],
    ['bcrypt at cost 3', someHash.replace('$04$', '$03$')],
    ['bcrypt $2x$', someHash.replace('$2b$', '$2x$')],
    ['bcrypt cut short', someHash.slice(0, -1)],
    ['bcrypt with bits behind the salt', someHash.replace('aO', 'aP')],
    [
      'a billion iterations',
      pbkdf2Hash('x', { rounds: 1 }).replace('i=1$', 'i=999999999$'),
      'has too high a number of iterations: 2000000 at most',
    ],
    ['no iterations', pbkdf2Hash('x', { rounds: 1 }).replace('i=1$', 'i=0$')],
    ['PBKDF2 with MD5', pbkdf2Hash('x', { rounds: 1 }).replace('sha256', 'md5')],
    ['PBKDF2 with many blocks', `$pbkdf2-sha1$i=1000$AAAAAAAAAAA$${'A'.repeat(400)}`],
    ['PBKDF2 cut short', '$pbkdf2-sha256$i=1000$AAAAAAAAAAA$AAAA'],
  ]
  for (const [what, password_hash, message = form] of hashes) {
    test(`G14: a hash with ${what} is refused: a login would cost too much, or never pass`, async () => {
      const before = await app.rows()
      const answer = await importLines(app, headers, [line('hash', { password_hash })])
      assertRefusal(answer, 400, 'Validation failed', what, {
        details: [{ path: ['line 1', 'password_hash'], message }],
      })
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('a service that is set to spend more itself takes as much from others', async () => {
    const strong = await testApp({
      PASSWORD_BCRYPT_COST: '15',
      PASSWORD_PBKDF2_ITERATIONS: '3000000',
    })
    const bearer = await strong.bearer(strong.admin)
    const lines = [
      line('b', { password_hash: someHash.replace('$04$', '$15$') }),
      line('p', { password_hash: pbkdf2Hash('x', { rounds: 1 }).replace('i=1$', 'i=3000000$') }),
    ]
    assert.equal((await importLines(app, headers, lines)).status, 400)
    assert.equal((await importLines(strong, bearer, lines)).status, 200)
    await strong.close()
  })

  const whole = JSON.stringify(line('hostile')).slice(1, -1)
  const texts: readonly [string, string | Buffer, string][] = [
    ['depth', '['.repeat(60_000), 'is no JSON'],
    ['closed depth', '['.repeat(30_000) + ']'.repeat(30_000), 'must be object'],
    ['a text', '"admin"', 'must be object'],
    ['null', 'null', 'must be object'],
    ['a NUL', '{"username":"\0"}', 'is no JSON'],
    ['two values', `{${whole}}{${whole}}`, 'is no JSON'],
    ['NaN', `{${whole},"user_id":NaN}`, 'is no JSON'],
    ['half a character', Buffer.from(`{${whole}}\xc3`, 'latin1'), 'is no UTF-8'],
    ['UTF-16', Buffer.from(`{${whole}}`, 'utf16le'), 'is no JSON'],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'is no UTF-8'],
    ['10 MB', 'x'.repeat(10_000_000), 'is longer than 65536 bytes'],
    ['a second byte order mark', `\ufeff\ufeff{${whole}}`, 'is no JSON'],
  ]
  for (const [what, text, message] of texts) {
    test(`G14: a line of ${what} is a mistake of that line alone`, async () => {
      const before = await app.rows()
      const details = [{ path: ['line 1'], message }]
      assertRefusal(await importLines(app, headers, text), 400, 'Validation failed', what, {
        details,
      })
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('prototype keys have no effect: they are unknown fields', async () => {
    const text = `{"__proto__":{"username":"ghost","roles":["ADMIN"]},"constructor":{"prototype":{"roles":["ADMIN"]}},${whole}}`
    assert.equal((await importLines(app, headers, text)).status, 200)
    const { body } = await app.call('GET', '/api/admin/accounts/hostile', { headers })
    assert.deepEqual(body.roles, ['USER'])
    assert.equal(({} as { roles?: unknown }).roles, undefined)
    const without =
      '{"__proto__":{"username":"ghost","roles":[],"name":"G","email":"g@example.org"}}'
    const refused = await importLines(app, headers, without)
    assert.equal(refused.status, 400)
    assert.deepEqual(refused.body.details[0], {
      path: ['line 1', 'username'],
      message: 'is required',
    })
  })

  test('a body above BODY_LIMIT_BYTES is taken: the bound is on the line', async () => {
    const small = await testApp({ BODY_LIMIT_BYTES: '2000' })
    const bearer = await small.bearer(small.admin)
    assert.equal((await importLines(small, bearer, many('large', 50))).status, 200)
    await small.close()
  })

  test('an import cannot take the last administrator away, nor any account', async () => {
    const before = await app.rows()
    const lines = [
      line('admin', { roles: [], locked: true }),
      line('x', { name: undefined, email: undefined, user_id: 1 }),
    ]
    const { status, body } = await importLines(app, headers, lines)
    assert.equal(status, 400)
    assert.deepEqual(body.details, [
      { path: ['line 1', 'username'], message: 'exists already' },
      { path: ['line 2', 'user_id'], message: 'has an account already' },
    ])
    assert.deepEqual(await app.rows(), before)
  })

  test('a second account of a user takes up no token of the first', async () => {
    const ann = await app.account('ann')
    const bearer = await app.bearer(ann)
    await app.call('DELETE', '/api/admin/accounts/ann', { headers })
    const again = { username: 'ann', password_hash: someHash, roles: ['USER'], user_id: ann.userId }
    assert.equal((await importLines(app, headers, [again])).status, 200)
    assert.equal((await app.call('GET', '/api/me', { headers: bearer })).status, 401)
  })

  test('without a CSRF token a session imports nothing', async () => {
    const { cookie } = await app.session(app.admin)
    assertRefusal(await importLines(app, { cookie }, [line('csrf')]), 403, 'CSRF token invalid')
  })
})

suite('imports that meet', async () => {
  const app = await testApp(realHashes)
  const headers = await app.bearer(app.admin)
  const { url } = await app.listen()

  test('two imports of the same names at once: one is done, the other is refused whole', async () => {
    for (const [first, second] of [
      [many('same'), many('same').toReversed()],
      [many('one', 600).concat(many('other', 600)), many('other', 600).concat(many('one', 600))],
    ] as const) {
      const answers = await Promise.all(
        [first, second].map((lines) => importLines(app, headers, lines)),
      )
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
      const { accounts = [], imports, import_names } = await app.rows()
      const names = new Set((accounts as { username: string }[]).map(({ username }) => username))
      assert.ok(first.every(({ username }) => names.has(String(username))))
      assert.equal(names.size, accounts.length)
      assert.deepEqual([imports, import_names], [[], []])
    }
    const { users = [], accounts = [], row_counts = [] } = await app.rows()
    const counts = row_counts as { name: string; total: number }[]
    const totalOf = (wanted: string) => counts.find(({ name }) => name === wanted)?.total
    assert.equal(totalOf('accounts total'), accounts.length)
    const others = counts.filter(({ name }) => !name.startsWith('accounts '))
    assert.deepEqual(others, [{ name: 'users', total: users.length }])
  })

  test('of two interleaved imports with a common name the older one succeeds', async () => {
    const [older, younger] = [openImport(url, headers), openImport(url, headers)]
    const opened = async (count: number) => (await app.rows()).imports?.length === count
    older.push('\n')
    await until(() => opened(1))
    younger.push(ndjson(many('young', 600)))
    await until(async () => (await app.rows()).accounts?.some(isNamed('young1')) ?? false)
    older.push(ndjson([...many('old', 500), line('young1'), line('young3')]))
    older.close()
    assert.equal((await older.answer).status, 200)
    younger.close()
    const answer = await younger.answer
    const message = 'was taken while the import went on, or its user was deleted'
    assert.equal(answer.status, 400)
    assert.deepEqual(((await answer.json()) as { details: object[] }).details, [
      { path: ['line 2', 'username'], message },
      { path: ['line 4', 'username'], message },
    ])
    const { accounts = [] } = await app.rows()
    assert.deepEqual(
      [accounts.some(isNamed('young1')), accounts.some(isNamed('young2'))],
      [true, false],
    )
  })

  test('the plain passwords of an import leave logins their turn', async () => {
    const ann = await app.account('ann')
    const importing = openImport(url, headers)
    const plain = { password_hash: undefined, password: 'quiet melons roll' }
    importing.push(ndjson(Array.from({ length: 100 }, (_, index) => line(`plain${index}`, plain))))
    importing.close()
    const { result: statuses, hashes } = await allHashes(async (soFar) => {
      await until(() => soFar() > 0)
      const logins = Array.from({ length: 4 }, () =>
        app.call('POST', '/login', { json: { ...ann } }),
      )
      return (await Promise.all(logins)).map(({ status }) => status)
    })
    assert.deepEqual(statuses, [200, 200, 200, 200])
    assert.ok(hashes < 4 + 100, 'the logins were not the last')
    assert.equal((await importing.answer).status, 200)
  })
})

suite('an import whose process dies', () => {
  test('kill -9 in the middle: nothing is seen after a restart, names are free, rows are purged', async () => {
    const password = 'the keeper of all tests'
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const env = {
      ...(await databaseSettings(directory)),
      NODE_ENV: 'test',
      ADMIN_PASSWORD: password,
    }
    const service = await startService([process.execPath, 'src/main.ts'], env, directory)
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
    const importing = openImport(service.url, { authorization })
    importing.push(ndjson(many('dead', 1200)))
    const { db } = await connectTo({ directory })
    const count = async () => (await db.selectFrom('accounts').select('user_id').execute()).length
    await until(async () => (await count()) >= 1001)
    await service.stop('SIGKILL')
    await db.destroy()
    await assert.rejects(importing.answer)

    const clock = fixedClock(new Date(Date.now() + 10_000).toISOString())
    const app = await testApp({}, { directory, clock })
    const headers = app.basic(app.admin)
    const read = async (path: string) => (await app.call('GET', path, { headers })).body
    assert.deepEqual([(await read('/users')).length, (await read('/users?page=1')).total], [1, 1])
    assert.equal((await read('/api/admin/accounts')).total, 1)
    assert.equal((await app.call('GET', '/api/admin/accounts/dead7', { headers })).status, 404)
    const taken = await app.account('dead7')
    assert.equal((await app.call('POST', '/login', { json: { ...taken } })).status, 200)

    await purge(app)
    assert.equal((await app.rows()).imports?.length, 1, 'it may live in another process')
    clock.advance(600)
    await purge(app)
    const {
      users = [],
      accounts = [],
      imports,
      import_names,
      token_versions = [],
    } = await app.rows()
    assert.deepEqual([users.length, accounts.length, token_versions.length], [2, 2, 2])
    assert.deepEqual([imports, import_names], [[], []])
    assert.equal((await read('/users?page=1')).total, 2)
  })

  test('a younger import takes the names of an older one that has failed', async () => {
    const app = await testApp()
    const headers = await app.bearer(app.admin)
    const { url } = await app.listen()
    const importing = openImport(url, headers)
    importing.push(ndjson(many('name')))
    await until(async () => (await app.rows()).users?.length === 501)
    const { db } = app.deps
    await db.updateTable('imports').set({ state: 'failed' }).execute() // its rows are not purged yet
    const answer = await importLines(app, headers, many('name'))
    assert.deepEqual([answer.status, answer.body.imported], [200, many('name').length])
    importing.close()
    assert.equal((await importing.answer).status, 503)
    const { users = [] } = await app.rows()
    assert.equal(users.length, 1 + many('name').length)
    await app.close()
  })

  test('an import that another process took for dead is 503, and has left nothing', async () => {
    const app = await testApp()
    const headers = await app.bearer(app.admin)
    const { url } = await app.listen()
    const before = await app.rows()
    const importing = openImport(url, headers)
    importing.push(ndjson(many('slow')))
    await until(async () => (await app.rows()).users?.length === 501)
    await app.deps.db.updateTable('imports').set({ seen_at: 0 }).execute()
    await purge(app)
    importing.close()
    const answer = await importing.answer
    assert.deepEqual([answer.status, await answer.json()], [503, { error: 'Service unavailable' }])
    assert.deepEqual(await app.rows(), before)
    await app.close()
  })
})

function isNamed(name: string): (row: unknown) => boolean {
  return (row) => (row as { username: string }).username === name
}
