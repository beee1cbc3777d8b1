import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { testApp } from '../app.ts'
import { importedHashes, pbkdf2Hash, storedHash, storeHash } from '../hashes.ts'
import { doors } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { importLines } from '../transfer.ts'

const breached = 'must not be a password known from breaches'
const guessable: readonly (readonly [password: string, message: string])[] = [
  ['JustinBieber', breached],
  ['thecakeisalie', breached],
  ['startfinding', breached],
  ['Professional', breached],
  [
    '!Sunshine2031',
    'must not be a common word or password with digits or signs in it or around it',
  ],
  ['marinamarina', 'must not be one piece repeated'],
  ['1qaz2WSX3edc', 'must not be a run of neighbouring keys'],
  ['as Margaret says', 'must not hold the username'],
  ['as peggy.s says', 'must not hold the e-mail address'],
  ['into the GateHouse', 'must not hold the name of this service'],
]

suite('G19: a password that is tried first is refused, and the reason is told', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const person = { username: 'margaret', name: 'Peggy', email: 'peggy.s@example.org' }
  const margaret = await app.account('margaret', ['USER'], { ...person, must_change: true })
  const user = await app.call('POST', '/users', { headers, json: person })

  for (const [password, message] of guessable) {
    test(`at every door, and nothing is changed: ${password}`, async () => {
      const before = await app.rows('throttle_places')
      const details = (field: string) => ({ details: [{ path: [field], message }] })
      const changed = await app.call('PUT', '/api/admin/accounts/margaret', {
        headers,
        json: { password },
      })
      assertRefusal(changed, 400, 'Validation failed', '', details('password'))
      const login = await app.call('POST', '/login', {
        json: { username: 'margaret', password: margaret.password, new_password: password },
      })
      assertRefusal(login, 400, 'Validation failed', '', details('new_password'))
      const json = { username: 'margaret 2', password, roles: ['USER'], user_id: user.body.id }
      const made = await app.call('POST', '/api/admin/accounts', { headers, json })
      const expected = message.includes('username') ? 201 : 400 // no other user is called margaret 2
      assert.equal(made.status, expected)
      if (expected === 400) assert.deepEqual(made.body.details, details('password').details)
      else await app.call('DELETE', '/api/admin/accounts/margaret 2', { headers })
      if (expected === 400) assert.deepEqual(await app.rows('throttle_places'), before)
    })
  }

  test('what the e-mail address of the owner is, is known wherever a password is set', async () => {
    const message = 'must not hold the e-mail address'
    const refusal = (field: string, line = '') => ({
      details: [{ path: line ? [line, field] : [field], message }],
    })
    for (const [name, email, password] of [
      ['local', 'joe@example.org', 'as J0e walks uphill'], // three letters
      ['whole', 'j@b.example', 'mail to J@B.Example now'],
    ] as const) {
      const must = await app.account(name, ['USER'], { name, email, must_change: true })
      const own = await app.account(`${name} own`, ['USER'], { name, email })
      const bearer = await app.bearer(own)
      const before = await app.rows()
      const json = { username: `${name} new`, password, roles: ['USER'], name, email }
      const refused = {
        made: await app.call('POST', '/api/admin/accounts', { headers, json }),
        linked: await app.call('POST', '/api/admin/accounts', {
          headers,
          json: { username: `${name} new`, password, roles: ['USER'], user_id: must.userId },
        }),
        set: await app.call('PUT', `/api/admin/accounts/${name}`, { headers, json: { password } }),
        login: await app.call('POST', '/login', {
          json: { username: name, password: must.password, new_password: password },
        }),
        own: await app.call('PUT', '/api/account/password', {
          headers: bearer,
          json: { current_password: own.password, new_password: password },
        }),
        imported: await importLines(app, headers, [json]),
      }
      const { login, own: changed, imported, ...others } = refused
      for (const [door, answer] of Object.entries(others)) {
        assertRefusal(answer, 400, 'Validation failed', door, refusal('password'))
      }
      assertRefusal(login, 400, 'Validation failed', 'login', refusal('new_password'))
      assertRefusal(changed, 400, 'Validation failed', 'own', refusal('new_password'))
      assertRefusal(imported, 400, 'Validation failed', 'import', refusal('password', 'line 1'))
      assert.deepEqual(await app.rows(), before, name)
    }
  })

  test('an account that does not exist is 404 with any password', async () => {
    const json = { password: 'JustinBieber' }
    const answer = await app.call('PUT', '/api/admin/accounts/nobody', { headers, json })
    assertRefusal(answer, 404, 'Account not found')
  })

  test('ADMIN_PASSWORD from the list stops the start, and the reason is told', async () => {
    for (const [password, message] of [
      ['JustinBieber', breached],
      ['the admin of all', 'must not hold the username'],
    ] as const) {
      await assert.rejects(testApp({ ADMIN_PASSWORD: password }), {
        message: `ADMIN_PASSWORD ${message}`,
      })
    }
  })

  test('the process ends with 1 and never prints the password', async () => {
    const env = { ADMIN_PASSWORD: 'JustinBieber' }
    await assert.rejects(startService([process.execPath, 'src/main.ts'], env), (error: Error) => {
      assert.match(error.message, /^exit 1 before/)
      assert.match(error.message, /cannot start: ADMIN_PASSWORD must not be a password known/)
      assert.doesNotMatch(error.message, /JustinBieber/)
      return true
    })
  })
})

suite('G19: the service of breached passwords', async () => {
  const asked: string[] = []
  let answer = () => Promise.resolve(new Response(''))
  const fetch: typeof globalThis.fetch = (url) => {
    asked.push(String(url))
    return answer()
  }
  const app = await testApp({ PASSWORD_BREACH_URL: 'https://p.example' }, { deps: { fetch } })
  const headers = app.basic(app.admin)
  const ann = await app.account('ann')
  const put = (password: string) =>
    app.call('PUT', '/api/admin/accounts/ann', { headers, json: { password } })
  const password = 'quiet melons roll uphill'
  const sha1 = hash('sha1', password).toUpperCase()

  test('refuses what it knows', async () => {
    answer = async () => new Response(`${sha1.slice(5)}:7`)
    const stored = await storedHash(app, ann.userId)
    const details = [{ path: ['password'], message: breached }]
    assertRefusal(await put(password), 400, 'Validation failed', '', { details })
    assert.equal(asked.at(-1), `https://p.example/${sha1.slice(0, 5)}`)
    assert.equal(await storedHash(app, ann.userId), stored)
  })

  test('is not asked about what is refused without it', async () => {
    const before = asked.length
    assert.equal((await put('JustinBieber')).status, 400)
    assert.equal((await put('short')).status, 400)
    assert.equal(asked.length, before)
  })

  test('lets pass while it is down, and an event tells so', async () => {
    answer = () => Promise.reject(new TypeError('fetch failed'))
    assert.equal((await put(password)).status, 200)
    const events = app.log.filter(({ event }) => event === 'password_breach_query_fail')
    assert.deepEqual(
      events.map(({ level, reason }) => [level, reason]),
      [['warn', 'fetch failed']],
    )
  })
})

suite('5.6: PASSWORD_HASH chooses the kind of new hashes', async () => {
  const kinds = {
    argon2id: /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    bcrypt: /^\$2[by]\$12\$/,
    pbkdf2: /^\$pbkdf2-sha256\$i=600000\$/,
  } as const

  for (const [kind, format] of Object.entries(kinds)) {
    test(`${kind}: for a new account, and at the login of an older one`, async () => {
      const app = await testApp({ PASSWORD_HASH: kind })
      const ann = await app.account('ann')
      assert.match(await storedHash(app, ann.userId), format)
      for (const hash of [await importedHashes.bcrypt?.(ann.password), pbkdf2Hash(ann.password)]) {
        await storeHash(app, ann.userId, hash ?? '')
        assert.equal((await doors.JSON(app, ann)).status, 200)
        const better = await storedHash(app, ann.userId)
        assert.match(better, format)
        assert.equal((await doors.JSON(app, ann)).status, 200)
        assert.equal(await storedHash(app, ann.userId), better)
      }
    })
  }

  test('bcrypt: 73 bytes are refused, and a long password of before still logs in', async () => {
    const app = await testApp({ PASSWORD_HASH: 'bcrypt' })
    const headers = app.basic(app.admin)
    const ann = await app.account('ann')
    const long = 'quiet melons roll uphill while the keeper sleeps under his lamp at night '
    const message = 'must have at most 72 bytes'
    const answer = await app.call('PUT', '/api/admin/accounts/ann', {
      headers,
      json: { password: long },
    })
    const details = [{ path: ['password'], message }]
    assertRefusal(answer, 400, 'Validation failed', '', { details })
    const stored = pbkdf2Hash(long)
    await storeHash(app, ann.userId, stored)
    assert.equal((await doors.JSON(app, { ...ann, password: long })).status, 200)
    assert.equal(await storedHash(app, ann.userId), stored) // bcrypt would cut it
  })
})
