import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { hash as argon2Hash } from '@node-rs/argon2'
import { exportAccounts } from '../../src/extras/import-export/export.ts'
import { passwordOf, realHashes, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { importedHashes, storedHash } from '../hashes.ts'
import { exchange } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import {
  exportPath,
  importLines,
  importPath,
  line,
  ndjson,
  openImport,
  readLines,
  someHash,
} from '../transfer.ts'
import { until } from '../until.ts'

const password = 'quiet melons roll'
const done = (imported: number, lines = imported) => ({
  ...{ dry_run: false, lines, imported, errors: [], errors_total: 0 },
})

suite('import of accounts', async () => {
  const app = await testApp(realHashes)
  const headers = await app.bearer(app.admin)
  const send = (lines: readonly object[] | string | Buffer, query = '') =>
    importLines(app, headers, lines, { query })
  const login = (username: string) =>
    app.call('POST', '/login', { json: { username, password, mode: 'token' } })
  const refusal = async (lines: readonly object[] | string | Buffer) => {
    const before = await app.rows()
    const answer = await send(lines)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.error, 'Validation failed')
    assert.deepEqual(await app.rows(), before, 'nothing is imported')
    return answer.body.details
  }

  test('accounts with hashes of every kind can log in, and get a hash of ours', async () => {
    const argon2 = (algorithm: 0 | 1 | 2, version: 0 | 1) =>
      argon2Hash(password, { algorithm, version, memoryCost: 64, timeCost: 1, parallelism: 2 })
    const hashes: Record<string, string> = {
      'Argon2d, 16': await argon2(0, 0),
      Argon2i: await argon2(1, 1),
      Argon2id: await argon2(2, 1),
    }
    for (const [kind, make] of Object.entries(importedHashes)) hashes[kind] = await make(password)
    const lines = Object.values(hashes).map((password_hash, index) =>
      line(`kind${index}`, { password_hash }),
    )
    const { status, body } = await send(lines)
    assert.deepEqual([status, body], [200, done(lines.length)])
    for (const [index, kind] of Object.keys(hashes).entries()) {
      assert.equal((await login(`kind${index}`)).status, 200, kind)
      const account = await app.call('GET', `/api/admin/accounts/kind${index}`, { headers })
      const after = await storedHash(app, account.body.user_id)
      assert.match(after, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, kind)
    }
  })

  test('every field of a line is taken; its user has the name and e-mail', async () => {
    const { body } = await send([
      line('Every', {
        roles: ['ROLE_EDITOR', 'USER', 'EDITOR'],
        locked: true,
        active: false,
        must_change: true,
        created_at: '2020-02-29T12:30:00.5+02:00',
        name: 'Ev Ery',
        email: 'Ev@example.org',
        favourite_colour: 'unknown fields are ignored',
      }),
    ])
    assert.deepEqual(body, done(1))
    const account = await app.call('GET', '/api/admin/accounts/every', { headers })
    const { user_id } = account.body
    assert.deepEqual(account.body, {
      username: 'every',
      user_id,
      roles: ['USER', 'EDITOR'],
      locked: true,
      active: false,
      second_factor: false,
      deletion_at: null,
      created_at: '2020-02-29T10:30:00.500Z',
    })
    const user = await app.call('GET', `/users/${user_id}`, { headers })
    assert.deepEqual(user.body, { id: user_id, name: 'Ev Ery', email: 'Ev@example.org' })
    const found = await app.call('GET', '/api/v2/users?q=EV%40EXAMPLE', { headers })
    assert.equal(found.body.total, 1, 'searched without regard to case')
    const [exported] = readLines((await app.call('GET', exportPath, { headers })).text).filter(
      ({ username }) => username === 'every',
    )
    assert.equal(exported?.must_change, true)
  })

  test('user_id is for a user that exists and has no account', async () => {
    const json = { name: 'Someone', email: 'someone@example.org' }
    const { body: user } = await app.call('POST', '/users', { headers, json })
    const total = (await app.call('GET', '/users?page=1', { headers })).body.total
    const given = { username: 'known', password_hash: someHash, roles: [], user_id: user.id }
    assert.deepEqual((await send([given])).body, done(1))
    const account = await app.call('GET', '/api/admin/accounts/known', { headers })
    assert.deepEqual([account.body.user_id, account.body.roles], [user.id, []])
    assert.equal((await app.call('GET', '/users?page=1', { headers })).body.total, total)
    assert.deepEqual(await refusal([{ ...given, username: 'other' }]), [
      { path: ['line 1', 'user_id'], message: 'has an account already' },
    ])
    assert.deepEqual(await refusal([{ ...given, username: 'other', user_id: 424242 }]), [
      { path: ['line 1', 'user_id'], message: 'names no user' },
    ])
  })

  test('a plain password is hashed and obeys the rules for new ones', async () => {
    const plain = (username: string, text: string) =>
      line(username, { password_hash: undefined, password: text })
    assert.deepEqual((await send([plain('plain', password)])).body, done(1))
    assert.equal((await login('plain')).status, 200)
    assert.deepEqual(
      await refusal([plain('short', 'too short'), plain('melinda', 'melinda has a horse')]),
      [
        { path: ['line 1', 'password'], message: 'must have at least 12 characters' },
        { path: ['line 2', 'password'], message: 'must not hold the username' },
      ],
    )
  })

  test('blank lines, CRLF, a byte order mark and a last line without its end are no mistakes', async () => {
    const [one, two] = [line('crlf1'), line('crlf2')].map((one) => JSON.stringify(one))
    const { status, body } = await send(`\ufeff${one}\r\n\r\n \t\n${two}`)
    assert.deepEqual([status, body], [200, done(2)])
    assert.deepEqual((await send('')).body, done(0))
  })

  test('every mistake is told by its line, and nothing is imported', async () => {
    const taken = line('ADMIN')
    const bad = Buffer.concat([
      Buffer.from(`${JSON.stringify(line('right'))}\n\n{"half":\n[]\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`{"username":"${'x'.repeat(70_000)}"}\n`),
      Buffer.from(
        [
          line('a:b', { email: 'nobody' }),
          line('c', { roles: ['USER', 'KING'], created_at: 'yesterday' }),
          line('d', { password_hash: 'plain' }),
          line('e', { password_hash: 5 }),
          line('f', { password: 'both of them' }),
          line('g', { email: undefined }),
          line('h', { name: '', locked: 'no', user_id: 0 }),
          taken,
          line('RIGHT'),
          line('ｒｉｇｈｔ', { email: 'right@example.org' }),
        ]
          .map((one) => JSON.stringify(one))
          .join('\n'),
      ),
    ])
    const details: { path: string[]; message: string }[] = await refusal(bad)
    const told = details.map(({ path, message }) => `${path.join(' ')}: ${message}`)
    assert.deepEqual(told, [
      'line 3: is no JSON',
      'line 4: must be object',
      'line 5: is no UTF-8',
      'line 6: is longer than 65536 bytes',
      'line 7 email: must be an e-mail address',
      'line 7 username: must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
      'line 8 roles 1: must be USER, EDITOR or ADMIN',
      'line 8 created_at: must be a time like 2026-01-15T12:00:00Z',
      'line 9 password_hash: must be a bcrypt, Argon2 or PBKDF2 hash in the form that this service verifies',
      'line 10 password_hash: must be string',
      'line 11 password_hash: stands for a password: leave out one of them',
      'line 12 email: is required for a new user',
      'line 13 locked: must be boolean',
      'line 13 user_id: must be >= 1',
      'line 13 name: must NOT have fewer than 1 characters',
      'line 14 username: exists already',
      'line 15 username: is on line 1 already',
      'line 16 username: is on line 1 already',
    ])
  })

  test('the words of a mistake are those of POST /api/admin/accounts', async () => {
    for (const wrong of [
      { username: 5 },
      { username: '' },
      { username: 'x'.repeat(300) },
      { roles: 'USER' },
      { roles: [5, 'x'.repeat(40)] },
      { roles: Array(17).fill('USER') },
      { roles: undefined },
      { roles: ['KING'] },
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'a\0' },
      { email: 'nobody' },
      { email: `${'x'.repeat(300)}` },
      { password: 5 },
      { password: 'x'.repeat(2000) },
      { must_change: 1 },
      { user_id: 1.5 },
      { user_id: 2 ** 60 },
      { username: 'a:b' },
    ]) {
      const { password_hash: _, ...whole } = line('wrong', { password })
      const json = { ...whole, ...wrong }
      const one = await app.call('POST', '/api/admin/accounts', { headers, json })
      const many = await refusal([json])
      const sorted = (details: { path: string[]; message: string }[]) =>
        details.map(({ path, message }) => `${path.join('/')} ${message}`).toSorted()
      assert.equal(one.status, 400, JSON.stringify(wrong))
      const expected = one.body.details.map((detail: { path: string[] }) => ({
        ...detail,
        path: ['line 1', ...detail.path],
      }))
      assert.deepEqual(sorted(many), sorted(expected), JSON.stringify(wrong).slice(0, 80))
    }
  })

  test('dry_run tells what would happen and changes nothing', async () => {
    const before = await app.rows()
    const right = await send(
      [line('dry1'), line('dry2', { password, password_hash: undefined })],
      '?dry_run=true',
    )
    assert.deepEqual([right.status, right.body], [200, { ...done(2), dry_run: true }])
    const wrong = await send([line('dry1'), line('admin'), line('DRY1')], '?dry_run=true')
    assert.deepEqual(
      [wrong.status, wrong.body],
      [
        200,
        {
          dry_run: true,
          lines: 3,
          imported: 0,
          errors: [
            { line: 2, path: ['username'], message: 'exists already' },
            { line: 3, path: ['username'], message: 'is on line 1 already' },
          ],
          errors_total: 2,
        },
      ],
    )
    assert.deepEqual(await app.rows(), before)
    for (const query of ['?dry_run=', '?dry_run=yes', '?dry_run=true&dry_run=true']) {
      assertRefusal(await send([line('dry1')], query), 400, 'Validation failed', query, {
        details: [{ path: ['dry_run'], message: 'must be true or false' }],
      })
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('one wrong line of many batches: nothing is imported, and the first 1000 mistakes are told', async () => {
    const lines = Array.from({ length: 1200 }, (_, index) => line(`many${index}`))
    assert.deepEqual(await refusal([...lines, line('many7')]), [
      { path: ['line 1201', 'username'], message: 'is on line 8 already' },
    ])
    const all = lines.map((one) => ({ ...one, email: 'nobody' }))
    assert.equal((await refusal(all)).length, 1000)
    const dry = await send(all, '?dry_run=true')
    assert.deepEqual([dry.body.errors.length, dry.body.errors_total], [1000, 1200])
    assert.deepEqual((await send(lines)).body, done(1200), 'the names are free')
    const { db } = app.deps
    const rows = await db.selectFrom('accounts').select('username').orderBy('user_id').execute()
    assert.deepEqual(
      rows.slice(-1200).map(({ username }) => username),
      lines.map(({ username }) => username),
      'in the order of the lines',
    )
  })

  test('the import and the export are recorded: who, and how many', async () => {
    app.log.length = 0
    await send([line('recorded')])
    await app.call('GET', exportPath, { headers })
    await send([line('recorded')])
    await send([line('again')], '?dry_run=true')
    const events = app.log.map(({ event, what, count, by }) => ({ event, what, count, by }))
    assert.deepEqual(events, [
      { event: 'sensitive_create', what: 'account_import', count: 1, by: '1' },
      { event: 'sensitive_read', what: 'account_export', count: undefined, by: '1' },
    ])
  })

  test('other than an ADMIN: 403; another content type, or none: 400 "Invalid request body"', async () => {
    const before = await app.rows()
    assertRefusal(await importLines(app, {}, [line('x')]), 401, 'Authentication required')
    const user = await app.bearer(await app.account('user', ['USER', 'EDITOR']))
    const rows = await app.rows('sessions')
    assertRefusal(await importLines(app, user, [line('x')]), 403, 'Access denied')
    assertRefusal(await app.call('GET', exportPath, { headers: user }), 403, 'Access denied')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const answer = await importLines(app, { ...headers, 'content-type': type }, [line('x')])
      assertRefusal(answer, 400, 'Invalid request body', type)
    }
    assertRefusal(await app.call('POST', importPath, { headers }), 400, 'Invalid request body')
    assert.deepEqual(await app.rows('sessions'), rows)
    assert.notDeepEqual(rows, before)
    const typed = { ...headers, 'content-type': 'application/x-ndjson; charset=utf-8' }
    assert.equal((await importLines(app, typed, [line('charset')])).status, 200)
  })

  test('what other routes take does not change: lines are no JSON', async () => {
    const typed = { ...headers, 'content-type': 'application/x-ndjson' }
    const answer = await app.call('POST', '/users', { headers: typed, body: '{"name":"A"}\n' })
    assertRefusal(answer, 400, 'Invalid request body')
  })
})

suite('export of accounts', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  await app.account('ann', ['USER', 'EDITOR'], { name: 'Ann Lee', email: 'ann@example.org' })
  const lines = Array.from({ length: 1100 }, (_, index) => line(`many${index}`))
  assert.equal((await importLines(app, headers, lines)).status, 200)

  test('a line for every account, in the order of the users, without hashes', async () => {
    const answer = await app.call('GET', exportPath, { headers })
    assert.deepEqual(
      [answer.status, answer.headers['content-type'], answer.headers['cache-control']],
      [200, 'application/x-ndjson', 'no-store'],
    )
    const exported = readLines(answer.text)
    assert.equal(exported.length, 1102)
    assert.deepEqual(exported[1], {
      username: 'ann',
      user_id: 2,
      name: 'Ann Lee',
      email: 'ann@example.org',
      roles: ['USER', 'EDITOR'],
      locked: false,
      active: true,
      second_factor: false,
      deletion_at: null,
      must_change: false,
      created_at: new Date(app.clock.now()).toISOString(),
    })
    assert.ok(!answer.text.includes('$'), 'no hash of any kind')
    const head = await app.call('HEAD', exportPath, { headers })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('with hashes, for the command line, it can be imported elsewhere and is the same there', async () => {
    const texts: string[] = []
    for await (const text of exportAccounts(app.deps, { withHashes: true })) texts.push(text)
    const [admin, ...others] = readLines(texts.join(''))
    assert.match(String(admin?.password_hash), /^\$argon2id\$/)
    const elsewhere = await testApp()
    const there = await elsewhere.bearer(elsewhere.admin)
    const made = await importLines(elsewhere, there, others)
    assert.deepEqual(made.body, done(1101))
    const [, ...again] = readLines(
      (await elsewhere.call('GET', exportPath, { headers: there })).text,
    )
    assert.deepEqual(
      again,
      others.map(({ password_hash: _, ...rest }) => rest),
    )
    const same = { username: 'ann', password: passwordOf('ann') }
    assert.equal((await elsewhere.call('POST', '/login', { json: same })).status, 200)
    await elsewhere.close()
  })
})

suite('on the command line', () => {
  test('account import tells mistakes by line with exit code 1, and account export shows what was imported', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const run = (words: string, stdin = '') => gatehouse(directory, words, { stdin })
    await run('migrate')
    const wrong = ndjson([line('ann'), line('bob', { email: 'nobody' })])
    assert.deepEqual(await run('account import -', wrong), {
      code: 1,
      stdout: '',
      stderr:
        'line 2: email must be an e-mail address\nerror: nothing was imported: 1 errors in 2 lines\n',
    })
    const right = join(directory, 'accounts.ndjson')
    writeFileSync(right, ndjson([line('ann'), line('bob')]))
    assert.deepEqual(await run(`account import ${right} --dry-run`), {
      code: 0,
      stdout: '2 accounts would be imported\n',
      stderr: '',
    })
    const told = await run(`account import ${right} --json`)
    assert.deepEqual([told.code, JSON.parse(told.stdout)], [0, done(2)])
    const exported = readLines((await run('account export --with-hashes')).stdout)
    assert.deepEqual(
      exported.map(({ username, password_hash }) => [username, password_hash]),
      [
        ['ann', someHash],
        ['bob', someHash],
      ],
    )
    assert.ok(!(await run('account export')).stdout.includes('password_hash'))
    rmSync(directory, { recursive: true })
  })
})

suite('while an import goes on', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann')
  const { server } = app.app.server
  Object.assign(server, { connectionsCheckingInterval: 20 }) // read when it begins to listen
  const { url } = await app.listen()

  const slowImport = () => openImport(url, headers)
  const batches = (prefix: string, count = 600) =>
    Array.from(
      { length: count },
      (_, index) => `${JSON.stringify(line(`${prefix}${index}`))}\n`,
    ).join('')
  /** The users that the import under way has made so far. */
  const unseen = async () => {
    const { imports = [], users = [] } = await app.rows()
    const [open] = imports as { id: number }[]
    return (users as { import_id: number | null }[]).filter(
      ({ import_id }) => open !== undefined && import_id === open.id,
    ).length
  }

  test('nothing of it is seen before its end, and logins work', async () => {
    const views = async () => ({
      users: (await app.call('GET', '/users', { headers })).body,
      count: (await app.call('GET', '/users', { headers })).headers['x-total-count'],
      page: (await app.call('GET', '/users?page=1', { headers })).body,
      search: (await app.call('GET', '/api/v2/users?q=seen', { headers })).body,
      sorted: (await app.call('GET', '/api/v2/users?sort=-name', { headers })).body,
      accounts: (await app.call('GET', '/api/admin/accounts', { headers })).body,
      one: (await app.call('GET', '/api/admin/accounts/seen1', { headers })).status,
      user: (await app.call('GET', '/users/5', { headers })).status,
      change: (await app.call('PUT', '/users/5', { headers, json: {} })).status,
      removal: (await app.call('DELETE', '/users/5', { headers })).status,
      exported: (await app.call('GET', exportPath, { headers })).text,
    })
    const before = await views()
    const importing = slowImport()
    importing.push(batches('seen'))
    await until(async () => (await unseen()) === 500)
    assert.deepEqual(await views(), before)
    assert.equal((await app.call('POST', '/login', { json: { ...ann } })).status, 200)
    importing.close()
    const answer = await importing.answer
    assert.deepEqual([answer.status, await answer.json()], [200, done(600)])
    const after = await views()
    assert.deepEqual(
      [
        after.count,
        after.page.total,
        after.search.total,
        after.accounts.total,
        after.one,
        after.user,
      ],
      ['602', 602, 600, 602, 200, 200],
    )
  })

  test('failed logins by a name without an account do not lock a later account', async () => {
    const importing = slowImport()
    importing.push(batches('early'))
    await until(async () => (await unseen()) === 500)
    app.log.length = 0
    for (let tries = 0; tries < 10; tries += 1) {
      await app.call('POST', '/login', {
        json: { username: 'early1', password: 'wrong' },
        from: `192.0.2.${tries}`,
      })
    }
    assert.ok(!app.log.some(({ event }) => event === 'authn_login_lock'))
    importing.close()
    assert.equal((await importing.answer).status, 200)
    const { body } = await app.call('GET', '/api/admin/throttle', { headers })
    assert.deepEqual(body.accounts, { total: 0, data: [] })
  })

  test('a client that leaves in the middle has imported nothing, and left nothing', async () => {
    const before = await app.rows()
    const importing = slowImport()
    importing.push(batches('gone'))
    await until(async () => (await unseen()) === 500)
    importing.leave()
    await assert.rejects(importing.answer)
    await until(async () => (await app.rows()).imports?.length === 0)
    assert.deepEqual(await app.rows(), before)
  })

  test("a name that is taken meanwhile is its taker's, and the import is refused whole", async () => {
    const importing = slowImport()
    importing.push(batches('race'))
    await until(async () => (await unseen()) === 500)
    const taken = await app.account('race7')
    importing.close()
    const answer = await importing.answer
    assert.equal(answer.status, 400)
    assert.deepEqual(await answer.json(), {
      error: 'Validation failed',
      details: [
        {
          path: ['line 8', 'username'],
          message: 'was taken while the import went on, or its user was deleted',
        },
      ],
    })
    assert.equal((await app.call('POST', '/login', { json: { ...taken } })).status, 200)
    const { body } = await app.call('GET', '/api/v2/users?q=race', { headers })
    assert.equal(body.total, 1)
  })

  test('a user that is deleted meanwhile takes the import with it', async () => {
    const json = { name: 'Someone', email: 'someone@example.org' }
    const { body: user } = await app.call('POST', '/users', { headers, json })
    const importing = slowImport()
    const given = { username: 'orphan', password_hash: someHash, roles: [], user_id: user.id }
    importing.push(`${JSON.stringify(given)}\n${batches('orphan')}`)
    await until(async () => (await unseen()) === 499)
    assert.equal((await app.call('DELETE', `/users/${user.id}`, { headers })).status, 200)
    importing.close()
    assert.equal((await importing.answer).status, 400)
    assert.equal((await app.call('GET', '/api/admin/accounts/orphan1', { headers })).status, 404)
  })

  test('7.5.1: the login was recent when the import began, also for an administrator in its last line', async () => {
    const importing = openImport(url, await app.bearer(app.admin))
    for (let seconds = 0; seconds <= 900; seconds += 14) {
      importing.push('\n')
      await until(() => app.clock.waits().includes(15))
      app.clock.advance(14)
    }
    importing.push(`${JSON.stringify({ ...line('dusk'), roles: ['ADMIN'] })}\n`)
    importing.close()
    assert.equal((await importing.answer).status, 200)
  })

  test('an import that is silent for 15 seconds is 408, and has left nothing', async () => {
    const before = await app.rows()
    const importing = slowImport()
    importing.push(batches('silent'))
    await until(async () => (await unseen()) === 500)
    await until(() => app.clock.waits().includes(15))
    app.clock.advance(14)
    importing.push('\n')
    await until(() => app.clock.waits().includes(15))
    app.clock.advance(15)
    const answer = await importing.answer
    assert.deepEqual([answer.status, await answer.json()], [408, { error: 'Request timeout' }])
    await until(async () => (await app.rows()).imports?.length === 0)
    assert.deepEqual(await app.rows(), before)
  })

  test('a steady import outlives the limit on the time of a request', async () => {
    const { headersTimeout, requestTimeout } = server
    const importing = slowImport()
    let count = 0
    const push = () => importing.push(`${JSON.stringify(line(`steady${count++}`))}\n`)
    push()
    await until(async () => (await app.rows()).imports?.length === 1)
    try {
      // From here on all requests under way have taken too long, which another client shows.
      Object.assign(server, { headersTimeout: 1, requestTimeout: 1 })
      for (let looks = 0; looks < 3; looks += 1) {
        const { answers } = await exchange(Number(new URL(url).port), 'GET / HTTP/1.1\r\n')
        assert.deepEqual(
          answers.map(({ status }) => status),
          [408],
        )
        push()
      }
      importing.close()
      const answer = await importing.answer
      assert.deepEqual([answer.status, await answer.json()], [200, done(count)])
    } finally {
      Object.assign(server, { headersTimeout, requestTimeout })
    }
  })
})
