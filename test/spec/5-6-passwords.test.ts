import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { realHashes, testApp } from '../app.ts'
import { storedHash } from '../hashes.ts'
import { assertRefusal } from '../refusal.ts'

const long = Array.from({ length: 20 }, (_, index) => `${index} melons `).join('')

suite('spec 5.6: password rules', async () => {
  const app = await testApp(realHashes)
  const headers = app.basic(app.admin)
  let made = 0
  const create = (password: string) => {
    made += 1
    const name = `someone${made}`
    const json = { username: name, password, roles: [], name, email: 'someone@example.org' }
    return app.call('POST', '/api/admin/accounts', { headers, json })
  }
  const ann = await app.account('ann')
  const change = (json: object) => app.call('PUT', '/api/admin/accounts/ann', { headers, json })

  for (const [what, password] of [
    ['12 characters', 'quiet melons'],
    ['12 code points outside the basic plane', '🔑🌂🎈🐌🍋🚲🧵🪁🎺🐙🧊🌵'],
    ['16 and more', 'quiet melons roll uphill'],
    ['128 characters', long.slice(0, 128)],
    ['letters alone, of one case: there are no composition rules', 'quietmelonsrolluphill'],
  ] as const) {
    test(`${what} are accepted`, async () => {
      const answer = await create(password)
      assert.equal(answer.status, 201)
      const login = { username: answer.body.username, password }
      assert.equal((await app.call('POST', '/login', { json: login })).status, 200)
    })
  }

  for (const [what, password, message] of [
    ['11 characters', 'quiet melon', 'must have at least 12 characters'],
    ['no character', '', 'must have at least 12 characters'],
    ['129 characters', long.slice(0, 129), 'must have at most 128 characters'],
  ] as const) {
    test(`${what}: refused for a new account and for a change, and nothing is stored`, async () => {
      const before = await app.rows()
      const details = [{ path: ['password'], message }]
      assertRefusal(await create(password), 400, 'Validation failed', '', { details })
      assertRefusal(await change({ password }), 400, 'Validation failed', '', { details })
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('the hash is Argon2id with m=19456, t=2, p=1 and a salt of 16 bytes', async () => {
    const hashes = (await app.rows()).passwords ?? []
    assert.ok(hashes.length >= 2)
    for (const row of hashes) {
      const { hash } = row as { hash: string }
      const [, name, version, cost, salt = '', key = ''] = hash.split('$')
      assert.deepEqual([name, version, cost], ['argon2id', 'v=19', 'm=19456,t=2,p=1'])
      assert.equal(Buffer.from(salt, 'base64').length, 16)
      assert.equal(Buffer.from(key, 'base64').length, 32)
    }
  })

  test('each password has a salt of its own, the same password again included', async () => {
    const password = 'melons for everybody here'
    for (let times = 0; times < 3; times += 1) await create(password)
    const hashes = ((await app.rows()).passwords ?? []).map((row) => (row as { hash: string }).hash)
    const salts = hashes.map((hash) => hash.split('$')[4])
    assert.equal(new Set(salts).size, hashes.length)
    assert.equal(new Set(hashes).size, hashes.length)
  })

  test('a change of the password makes a new hash, and the old password is refused', async () => {
    const before = await storedHash(app, ann.userId)
    assert.equal((await change({ password: 'another one of ann' })).status, 200)
    assert.notEqual(await storedHash(app, ann.userId), before)
    const login = (password: string) =>
      app.call('POST', '/login', { json: { username: 'ann', password } })
    assertRefusal(await login(ann.password), 401, 'Invalid credentials')
    assert.equal((await login('another one of ann')).status, 200)
    assert.equal((await change({ password: ann.password })).status, 200)
  })

  test('no forced rotation: a password of ten years ago logs in', async () => {
    const before = await storedHash(app, ann.userId)
    app.clock.advance(10 * 365 * 86_400)
    const answer = await app.call('POST', '/login', {
      json: { username: 'ann', password: ann.password },
    })
    assert.equal(answer.status, 200)
    assert.equal(await storedHash(app, ann.userId), before)
  })

  test('a cost below the rules does not start', async () => {
    for (const env of [
      { PASSWORD_MIN_LENGTH: '11' },
      { PASSWORD_ARGON2_MEMORY_KIB: '19455' },
      { PASSWORD_ARGON2_PASSES: '1' },
    ]) {
      const [name = ''] = Object.keys(env)
      await assert.rejects(testApp(env), new RegExp(`${name} `))
    }
  })

  test('PASSWORD_MIN_LENGTH=16 asks for 16', async () => {
    const strict = await testApp({ PASSWORD_MIN_LENGTH: '16' })
    const json = { username: 'bob', roles: [], user_id: 1, password: 'fifteen letters' }
    const answer = await strict.call('POST', '/api/admin/accounts', {
      headers: strict.basic(strict.admin),
      json,
    })
    const details = [{ path: ['password'], message: 'must have at least 16 characters' }]
    assertRefusal(answer, 400, 'Validation failed', '', { details })
  })
})
