import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { countHashes, storedHash } from '../hashes.ts'
import { doors, newHost, placesOf, tryTimes } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { interruptedReads } from '../watched-database.ts'

const words =
  'Wald Haus Berg Fluss Stein Vogel Regen Sonne Wolke Blume Garten Brücke Fenster Lampe Tisch'
const text = (length: number) => `${words} ${words}`.slice(0, length)
const emoji = (count: number) => Array.from({ length: count }, (_, n) => 0x1f600 + (n % 70))
const faces = (count: number) => String.fromCodePoint(...emoji(count))
/** Letters that each count two before NFC and one after it. */
const decomposed = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `${'aeiouncszr'[Math.floor((n * n) / 7) % 10]}\u0301`,
  ).join('')

const tooShort = 'must have at least 12 characters'
const tooLong = 'must have at most 128 characters'
const unstorable = 'must not hold NUL characters or lone surrogates'

const refused: readonly (readonly [about: string, password: string, message: string])[] = [
  ['nothing', '', tooShort],
  ['11 letters', text(11), tooShort],
  ['11 emoji, 22 UTF-16 units', faces(11), tooShort],
  ['11 letters of two code points each', decomposed(11), tooShort],
  ['129 letters', text(129), tooLong],
  ['129 emoji', faces(129), tooLong],
  ['129 letters of two code points each', decomposed(129), tooLong],
  ['a NUL', `${text(20)}\0`, unstorable],
  ['a lone surrogate', `${text(20)}\ud800`, unstorable],
]

const accepted: readonly (readonly [about: string, password: string])[] = [
  ['12 letters', text(12)],
  ['12 emoji', faces(12)],
  ['12 letters of two code points each', decomposed(12)],
  ['128 letters', text(128)],
  ['128 emoji', faces(128)],
  ['128 letters of two code points each', decomposed(128)],
  ['lower case and spaces alone', 'wald haus berg fluss'],
]

suite('5.6: a new password has 12 to 128 code points after NFC', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const ann = await app.account('ann')
  const must = await app.account('must', ['USER'], { must_change: true })
  await app.call('GET', '/users', { headers }) // remembered from here on: hashes nothing

  const account = (password: string, username: string) => ({
    headers,
    json: { username, password, roles: ['USER'], name: 'Name', email: 'name@example.org' },
  })

  for (const [about, password, message] of refused) {
    test(`refused everywhere, and nothing is changed: ${about}`, async () => {
      const before = await app.rows()
      const details = (field: string) => ({ details: [{ path: [field], message }] })
      const { hashes } = await countHashes(async () => {
        const created = await app.call('POST', '/api/admin/accounts', account(password, 'new'))
        assertRefusal(created, 400, 'Validation failed', about, details('password'))
        const changed = await app.call('PUT', '/api/admin/accounts/ann', {
          headers,
          json: { password, roles: ['ADMIN'] },
        })
        assertRefusal(changed, 400, 'Validation failed', about, details('password'))
      })
      assert.equal(hashes, 0)
      const login = await app.call('POST', '/login', {
        json: { username: 'must', password: must.password, new_password: password },
      })
      assertRefusal(login, 400, 'Validation failed', about, details('new_password'))
      assert.equal((await doors.JSON(app, must)).body.error, 'Password change required')
      assert.deepEqual(await app.rows(), before)
    })
  }

  for (const [index, [about, password]] of accepted.entries()) {
    test(`accepted everywhere: ${about}`, async () => {
      const username = `new ${index}`
      const created = await app.call('POST', '/api/admin/accounts', {
        ...account(password, username),
      })
      assert.equal(created.status, 201)
      assert.equal((await doors.JSON(app, { username, password })).status, 200)
      const json = { password, must_change: true }
      const changed = await app.call('PUT', '/api/admin/accounts/ann', { headers, json })
      assert.equal(changed.status, 200)
      const new_password = `${password.slice(0, -2)}${password.slice(0, 2)}`
      const login = await app.call('POST', '/login', {
        json: { username: 'ann', password, new_password },
      })
      assert.equal(login.status, 200)
      assert.equal((await doors.JSON(app, { ...ann, password: new_password })).status, 200)
    })
  }

  for (const password of [null, 123456789012, ['a password in a list'], { a: 1 }, true]) {
    test(`a password ${JSON.stringify(password)} is 400 and changes nothing`, async () => {
      const before = await app.rows()
      const json = { username: 'new', password, roles: [], name: 'Name', email: 'a@example.org' }
      for (const [method, path] of [
        ['POST', '/api/admin/accounts'],
        ['PUT', '/api/admin/accounts/ann'],
      ] as const) {
        const { status, body } = await app.call(method, path, { headers, json })
        assert.deepEqual([status, body.error], [400, 'Validation failed'])
        assert.deepEqual(body.details[0].path, ['password'])
      }
      assert.deepEqual(await app.rows(), before)
    })
  }
})

suite('an account that must change its password', async () => {
  const app = await testApp()
  const must = await app.account('must', ['USER'], { must_change: true })
  const new_password = 'chosen by its owner alone'

  for (const mode of ['session', 'token', 'pair'] as const) {
    test(`is 403 at every login without a new one, and gets nothing: ${mode}`, async () => {
      const from = newHost()
      const before = await app.rows()
      const json = { username: 'must', password: must.password, mode }
      const answer = await app.call('POST', '/login', { json, from })
      assertRefusal(answer, 403, 'Password change required')
      assert.deepEqual(answer.cookies, {})
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('tells so after the right password alone, and wrong ones count', async () => {
    const from = newHost()
    const attempt = (password: string) =>
      app.call('POST', '/login', { json: { username: 'must', password, new_password }, from })
    const hash = await storedHash(app, must.userId)
    assert.deepEqual(await tryTimes(4, () => attempt('not the password')), [401, 401, 401, 401])
    assert.equal((await doors.JSON(app, must, { from })).status, 403)
    assert.equal((await placesOf(app, from)).length, 4) // neither a failure nor a success
    assert.deepEqual(await tryTimes(2, () => attempt('not the password')), [401, 429])
    assert.equal((await attempt(must.password)).status, 429)
    assert.equal(await storedHash(app, must.userId), hash)
  })

  test('is refused by Basic, which has no room for a new one', async () => {
    const from = newHost()
    const before = await app.rows()
    for (let tries = 0; tries < 6; tries += 1) {
      assertRefusal(await doors.Basic(app, must, { from }), 401, 'Authentication required')
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('cannot be the present one, in any form', async () => {
    const password = 'Brücke über den Fluß'
    const { userId } = await app.account('müst', ['USER'], { must_change: true, password })
    for (const same of [password, password.normalize('NFD')]) {
      const answer = await app.call('POST', '/login', {
        json: { username: 'müst', password, new_password: same },
      })
      assertRefusal(answer, 400, 'Validation failed', '', {
        details: [{ path: ['new_password'], message: 'must differ from the present one' }],
      })
    }
    const before = await storedHash(app, userId)
    assert.equal((await doors.JSON(app, { username: 'müst', password })).status, 403)
    assert.equal(await storedHash(app, userId), before)
  })

  test('logs in with a new one, which then is the only one', async () => {
    const answer = await app.call('POST', '/login', {
      form: { username: 'must', password: must.password, new_password },
    })
    assert.equal(answer.status, 200)
    const headers = { cookie: `JSESSIONID=${answer.cookies.JSESSIONID}` }
    assert.equal((await app.call('GET', '/api/protected', { headers })).status, 200)
    assertRefusal(await doors.JSON(app, must), 401, 'Invalid credentials')
    const changed = { username: 'must', password: new_password }
    for (const door of [doors.JSON, doors.Basic]) {
      assert.equal((await door(app, changed)).status, 200)
    }
  })

  test('another caller cannot change a password at the login', async () => {
    const ann = await app.account('ann')
    const hash = await storedHash(app, ann.userId)
    const answer = await app.call('POST', '/login', {
      json: { username: 'ann', password: ann.password, new_password },
    })
    const message = 'is for an account that must change its password'
    const details = [{ path: ['new_password'], message }]
    assertRefusal(answer, 400, 'Validation failed', '', { details })
    assert.equal(await storedHash(app, ann.userId), hash)
  })

  test('is made so by an administrator, for Basic at the next request', async () => {
    const bob = await app.account('bob')
    assert.equal((await doors.Basic(app, bob)).status, 200)
    await app.call('PUT', '/api/admin/accounts/bob', {
      headers: app.basic(app.admin),
      json: { must_change: true },
    })
    assertRefusal(await doors.Basic(app, bob), 401, 'Authentication required')
    assertRefusal(await doors.JSON(app, bob), 403, 'Password change required')
  })
})

suite('a new password at the login', async () => {
  const app = await testApp()

  test('of three logins at once with three new passwords one succeeds', async () => {
    const who = await app.account('thrice', ['USER'], { must_change: true })
    const wanted = [1, 2, 3].map((number) => `meadow lantern ${number} cobalt drift`)
    const answers = await Promise.all(
      wanted.map((new_password) =>
        app.call('POST', '/login', {
          json: { username: who.username, password: who.password, new_password },
        }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401])
    const winner = wanted[answers.findIndex(({ status }) => status === 200)]
    const json = { username: who.username, password: winner }
    assert.equal((await app.call('POST', '/login', { json })).status, 200)
  })
})

suite('a new password at the login, and an administrator who sets one', async () => {
  const { options, atNextRead } = await interruptedReads('accounts')
  const app: TestApp = await testApp({}, options)
  const [own, theirs] = ['meadow lantern cobalt drift', 'harbour violet 88 anthem']
  const logIn = ({ username, password }: Someone) =>
    app.call('POST', '/login', { json: { username, password, new_password: own } })
  const set = async ({ username }: Someone) => {
    const { status } = await app.call('PUT', `/api/admin/accounts/${username}`, {
      headers: app.basic(app.admin),
      json: { password: theirs, must_change: false },
    })
    assert.equal(status, 200)
  }
  const statusOf = async ({ username }: Someone, password: string) =>
    (await app.call('POST', '/login', { json: { username, password } })).status

  test('meanwhile: the login is refused, and theirs stays', async () => {
    const who = await app.account('reset', ['USER'], { must_change: true })
    atNextRead(() => set(who)) // once the login has read the account
    assertRefusal(await logIn(who), 401, 'Invalid credentials')
    assert.deepEqual([await statusOf(who, theirs), await statusOf(who, own)], [200, 401])
  })

  test('afterwards: the login passes, and theirs is the password then', async () => {
    const who = await app.account('later', ['USER'], { must_change: true })
    assert.equal((await logIn(who)).status, 200)
    assert.equal(await statusOf(who, own), 200)
    await set(who)
    assert.deepEqual([await statusOf(who, theirs), await statusOf(who, own)], [200, 401])
  })
})
