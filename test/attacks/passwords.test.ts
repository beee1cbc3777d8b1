import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { realHashes, type Someone, testApp } from '../app.ts'
import { cpuOf } from '../clock.ts'
import { countHashes, importedHashes, storedHash, storeHash } from '../hashes.ts'
import { doors, eventsNamed, everyDoor, newHost, placesOf, visible } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

const ours = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

suite('a refused login does not tell its reason', async () => {
  const app = await testApp({ LOGIN_LOCK_AFTER: '0' })
  const ann = await app.account('ann')
  const [locked, disabled, imported, left] = [
    await app.account('locked'),
    await app.account('disabled'),
    await app.account('imported'),
    await app.account('left'),
  ]
  const change = (username: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${username}`, { headers: app.basic(app.admin), json })
  await change('locked', { locked: true })
  await change('disabled', { active: false })
  await storeHash(app, imported.userId, (await importedHashes.bcrypt?.(imported.password)) ?? '')
  await app.call('DELETE', `/users/${left.userId}`, { headers: app.basic(app.admin) })

  const refused: Record<string, Pick<Someone, 'username' | 'password'>> = {
    'an unknown user': { username: 'nobody', password: 'nobody has a password' },
    'a deleted user': left,
    'a locked account, right password': locked,
    'a disabled account, right password': disabled,
    'an imported hash, wrong password': { ...imported, password: 'not the password' },
    ...Object.fromEntries(
      [1, 8, 72, 73, 1000, 10_000].flatMap((length) => [
        [`${length} characters, known user`, { username: 'ann', password: 'x'.repeat(length) }],
        [`${length} characters, unknown user`, { username: 'none', password: 'x'.repeat(length) }],
      ]),
    ),
  }

  for (const [name, door] of everyDoor) {
    test(`T30: unknown, wrong, locked and disabled look alike and cost one hash: ${name}`, async () => {
      const usual = await door(app, { ...ann, password: 'not the password' }, { from: newHost() })
      for (const [about, who] of Object.entries(refused)) {
        const { hashes, result } = await countHashes(() => door(app, who, { from: newHost() }))
        assert.equal(result.status, 401)
        assert.deepEqual(visible(result), visible(usual), about)
        assert.equal(hashes, 1, about)
      }
    })
  }

  test('T31: what exists shows neither to a stranger nor to a caller without the role', async () => {
    const email = 'someone@example.org' // of every account here
    const pairs = [
      ['GET', '/users/1', '/users/999999'],
      ['DELETE', '/users/1', '/users/999999'],
      ['GET', '/api/admin/accounts/ann', '/api/admin/accounts/nobody'],
      ['DELETE', '/api/admin/accounts/ann', '/api/admin/accounts/nobody'],
    ] as const
    const headers = await app.bearer(ann) // a login, whose time the account keeps
    const before = await app.rows('throttle_places')
    for (const [method, existing, absent] of pairs) {
      const [left, right] = [await app.call(method, existing), await app.call(method, absent)]
      assertRefusal(left, 401, 'Authentication required', existing)
      assert.deepEqual(visible(right), visible(left), existing)
    }
    const created = [email, 'new@example.org'].map((email) =>
      app.call('POST', '/users', { json: { name: 'Somebody', email } }),
    )
    for (const answer of await Promise.all(created))
      assertRefusal(answer, 401, 'Authentication required')
    for (const [method, existing, absent] of pairs.slice(1)) {
      const [left, right] = [
        await app.call(method, existing, { headers }),
        await app.call(method, absent, { headers }),
      ]
      assertRefusal(left, 403, 'Access denied', existing)
      assert.deepEqual(visible(right), visible(left), existing)
    }
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  const notPasswords: readonly unknown[] = [
    '',
    null,
    [ann.password],
    { 0: 'a' },
    123456789012,
    true,
  ]

  for (const password of [...notPasswords, undefined]) {
    test(`T35: a password ${JSON.stringify(password)} is 401 and never coerced`, async () => {
      const from = newHost()
      const { hashes, result } = await countHashes(async () => [
        await app.call('POST', '/login', { json: { username: 'ann', password }, from }),
        await app.call('POST', '/login', { json: { username: 'none', password }, from }),
        await app.call('POST', '/login', {
          json: { username: password, password: ann.password },
          from,
        }),
      ])
      for (const answer of result) assertRefusal(answer, 401, 'Invalid credentials')
      assert.equal(hashes, 0)
      // Each counts as a login attempt: two names, and one key for what is no name.
      const places = await placesOf(app, from)
      assert.deepEqual(
        places.map(({ pending }) => pending),
        [0, 0, 0],
      )
      assert.equal(new Set(places.map(({ username }) => username)).size, 3)
    })
  }

  test('T35: a password of 10 MB is 413', async () => {
    const password = 'x'.repeat(10_000_000)
    for (const door of [doors.JSON, doors['form, session']]) {
      assertRefusal(await door(app, { ...ann, password }), 413, 'Request body too large')
    }
  })

  test('T39: a stored text that is no hash is 401, also for itself, and an event', async () => {
    const broken = await app.account('broken')
    const cut = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ'
    for (const stored of ['', broken.password, 'plain:x', cut, '$2b$12$', '$pbkdf2-sha256$']) {
      await storeHash(app, broken.userId, stored)
      const failures = eventsNamed(app, 'authn_login_fail')
      for (const password of [broken.password, stored || 'x', 'x']) {
        const answer = await doors.JSON(app, { username: 'broken', password }, { from: newHost() })
        assertRefusal(answer, 401, 'Invalid credentials', stored)
      }
      assert.equal(eventsNamed(app, 'authn_login_fail'), failures + 3)
      assert.equal(await storedHash(app, broken.userId), stored)
    }
  })
})

suite('passwords are verified exactly', async () => {
  const app = await testApp(realHashes)
  const login = (username: string, password: string) =>
    doors.JSON(app, { username, password }, { from: newHost() })
  const create = (username: string, password: string) =>
    app.call('POST', '/api/admin/accounts', {
      headers: app.basic(app.admin),
      json: { username, password, roles: ['USER'], name: username, email: 'a@example.org' },
    })
  const long = 'the quick brown fox jumps over the lazy dog and then on and on and on for ever'

  /** A password, and texts near it that are another one. */
  const neighbours: Record<string, readonly [password: string, others: readonly string[]]> = {
    'T34: what follows a NUL counts': [
      'right to the end',
      ['right to the end\0', 'right to the end\0x', 'right to the en\0'],
    ],
    'T36: what follows 72 bytes counts': [
      `${long} 80`,
      [`${long} 80`.slice(0, 72), `${long} 81`, `${long} 80 `, long],
    ],
    'T38: spaces and case count': [
      ' Right to the End ',
      ['Right to the End', ' Right to the End', 'Right to the End ', ' right to the end '],
    ],
    'T38: compatibility forms count': [
      'ﬁ ſtraße № １２',
      ['fi straße № １２', 'ﬁ ſtraße No 12', 'ﬁ ſtrasse № １２', 'ﬁ ſtraße №  １２'],
    ],
    'T38: a lone surrogate is no replacement character': [
      'right \ufffd to the end',
      ['right \ud800 to the end', 'right \udfff to the end'],
    ],
  }

  for (const [name, [password, others]] of Object.entries(neighbours)) {
    const username = `user ${Object.keys(neighbours).indexOf(name)}`
    test(name, async () => {
      assert.equal((await create(username, password)).status, 201)
      assert.equal((await login(username, password)).status, 200)
      for (const other of others) {
        assertRefusal(await login(username, other), 401, 'Invalid credentials', other)
      }
    })
  }

  test('T38: the composed and the decomposed form of a password are one', async () => {
    const composed = 'Ångström für dreißig'
    const decomposed = composed.normalize('NFD')
    await create('composed', composed)
    await create('decomposed', decomposed)
    for (const username of ['composed', 'decomposed']) {
      for (const password of [composed, decomposed]) {
        assert.equal((await login(username, password)).status, 200)
      }
    }
  })

  test('T37: a long username makes no other password pass, by Basic neither', async () => {
    const name = 'n'.repeat(60)
    await create(name, long)
    const who = { username: name, password: long }
    assert.equal((await doors.Basic(app, who, { from: newHost() })).status, 200)
    for (const password of [long.slice(0, -1), `${long}x`, 'n', `${long}:${long}`]) {
      const answer = await doors.Basic(app, { ...who, password }, { from: newHost() })
      assertRefusal(answer, 401, 'Authentication required')
    }
    const shifted = { username: name.slice(1), password: long }
    assert.equal((await doors.Basic(app, shifted, { from: newHost() })).status, 401)
  })

  test('5.1: a password may hold colons, and is split from the username at the first', async () => {
    await create('colon', ':a:password:with:signs:')
    const who = { username: 'colon', password: ':a:password:with:signs:' }
    for (const door of [doors.Basic, doors.JSON]) assert.equal((await door(app, who)).status, 200)
  })

  for (const [kind, hash] of Object.entries(importedHashes)) {
    test(`an imported hash verifies and is replaced at the first login: ${kind}`, async () => {
      const username = `import ${kind}`.toLowerCase()
      const { userId, password } = await app.account(username)
      const stored = await hash(password)
      await storeHash(app, userId, stored)
      for (const other of [`${password}\0`, `${password}\0x`, password.slice(1), stored]) {
        assertRefusal(await login(username, other), 401, 'Invalid credentials')
      }
      assert.equal(await storedHash(app, userId), stored)
      assert.equal((await login(username, password)).status, 200)
      const better = await storedHash(app, userId)
      assert.match(better, ours)
      assert.equal((await login(username, password)).status, 200)
      assert.equal(await storedHash(app, userId), better)
    })
  }

  test('T36: bcrypt reads 72 bytes, so that a longer password never passes', async () => {
    const { userId, username } = await app.account('seventy-two')
    const password = long.slice(0, 72)
    const stored = await importedHashes.bcrypt?.(password)
    await storeHash(app, userId, stored ?? '')
    assertRefusal(await login(username, long), 401, 'Invalid credentials')
    assert.equal((await login(username, password)).status, 200)
  })

  test('a new hash is Argon2id with a salt of its own, and no password is kept or logged', async () => {
    const password = 'canary in the coal mine'
    const made = [await create('one', password), await create('two', password)]
    const hashes = await Promise.all(made.map(({ body }) => storedHash(app, body.user_id)))
    for (const hash of hashes) assert.match(hash, ours)
    assert.notEqual(hashes[0], hashes[1])
    await login('one', password)
    await login(password, 'not the password')
    const everything = JSON.stringify([await app.rows(), app.log, made.map(({ text }) => text)])
    assert.equal(everything.includes(password), false)
    assert.equal(everything.includes(Buffer.from(password).toString('base64')), false)
  })
})

suite('a password that is made to be expensive', async () => {
  const app = await testApp(realHashes)

  test('combining marks in the wrong order, as many as a body holds, cost what any wrong password costs', async () => {
    const marks = (count: number) => `a${'\u0301'.repeat(count)}${'\u0323'.repeat(count)}`
    const { cpuMs } = await cpuOf(async () => {
      for (const username of ['admin', 'nobody']) {
        const answer = await app.call('POST', '/login', {
          json: { username, password: marks(4000) },
        })
        assert.equal(answer.status, 401)
        assert.deepEqual(answer.body, { error: 'Invalid credentials' })
        const more = await app.call('POST', '/login', {
          json: { username, password: marks(150_000) },
        })
        assertRefusal(more, 413, 'Request body too large')
      }
    })
    // Normalized, it would take minutes: this bound tells the two apart on any machine.
    assert.ok(cpuMs < 10_000, String(cpuMs))
  })
})
