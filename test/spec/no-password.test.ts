import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { exportAccounts } from '../../src/extras/import-export/export.ts'
import { createPasswords } from '../../src/modules/passwords/passwords.ts'
import { passwordOf, type Someone, testApp } from '../app.ts'
import { countHashes } from '../hashes.ts'
import { assertRefusal } from '../refusal.ts'
import { importLines, readLines } from '../transfer.ts'

/** As one that an identity provider has signed up: spec 4.4. No answer tells it from any other. */
suite('an account without a password', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
  const { db } = app.deps
  const headers = app.basic(app.admin)
  const login = (username: string, more: object = {}) =>
    app.call('POST', '/login', {
      json: { username, password: passwordOf(username), mode: 'token', ...more },
    })
  const put = (name: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${name}`, { headers, json })
  const passwords = (userId: number) =>
    db.selectFrom('passwords').selectAll().where('account', '=', userId).execute()

  async function withoutPassword(username: string): Promise<Someone> {
    const someone = await app.account(username)
    await db.deleteFrom('passwords').where('account', '=', someone.userId).execute()
    return someone
  }

  test('is refused like a wrong password and an unknown name, for the same work', async () => {
    const nopass = await withoutPassword('nopass')
    await app.account('wrong')
    for (const [username, password] of [
      ['nopass', nopass.password],
      ['wrong', 'another pass phrase'],
      ['unknown', 'another pass phrase'],
    ] as const) {
      const { hashes, result } = await countHashes(() => login(username, { password }))
      assertRefusal(result, 401, 'Invalid credentials', username)
      assert.equal(hashes, 1, username)
      const basic = app.basic({ userId: 0, username, password })
      const asked = await countHashes(() => app.call('GET', '/api/account', { headers: basic }))
      assertRefusal(asked.result, 401, 'Authentication required', username)
      assert.equal(asked.hashes, 1, username)
    }
    const failures = await db
      .selectFrom('accounts')
      .select('failed_logins')
      .where('username', 'in', ['nopass', 'wrong'])
      .execute()
    assert.deepEqual(
      failures.map(({ failed_logins }) => failed_logins),
      [2, 2],
      'both come nearer to the automatic lock',
    )
    assert.deepEqual(await passwords(nopass.userId), [])
  })

  test('loses what its password was remembered for', async () => {
    const gone = await app.account('gone')
    const session = await app.session(gone)
    const ask = () => app.call('GET', '/api/account', { headers: app.basic(gone) })
    assert.equal((await ask()).status, 200)
    await db.deleteFrom('passwords').where('account', '=', gone.userId).execute()
    assertRefusal(await ask(), 401, 'Authentication required')
    assert.equal((await app.call('GET', '/api/session', { headers: session })).status, 200)
    const json = { current_password: gone.password, new_password: 'melons for everybody' }
    const change = await app.call('PUT', '/api/account/password', { headers: session, json })
    const confirm_url = `${app.deps.config.baseUrl}/account/confirm?for=password`
    const extra = { proofs: ['email'], confirm_url }
    assertRefusal(change, 401, 'Confirmation required', '', extra)
    assert.deepEqual(await passwords(gone.userId), [])
  })

  test('can be told to set one, and is counted as due', async () => {
    const { userId } = await withoutPassword('later')
    const counted = async () => {
      const { body } = await app.call('GET', '/api/admin/statistics', { headers })
      return body.accounts.must_change
    }
    const before = await counted()
    assert.equal((await put('later', { must_change: true })).status, 200)
    assert.deepEqual(await passwords(userId), [
      { account: userId, hash: null, changed_at: null, must_change: 1 },
    ])
    assert.equal(await counted(), before + 1)
    assertRefusal(await login('later'), 401, 'Invalid credentials')
    assert.equal((await put('later', { must_change: false })).status, 200)
    assert.equal(await counted(), before)
    assertRefusal(await login('later'), 401, 'Invalid credentials')
  })

  test('gets its first one from an administrator, and the time of it is kept', async () => {
    const { userId } = await withoutPassword('first')
    const reset = await app.call('POST', '/api/admin/accounts/first/password', { headers })
    assert.equal(reset.status, 200)
    const { password } = reset.body
    assertRefusal(await login('first', { password }), 403, 'Password change required')
    const [row] = await passwords(userId)
    assert.deepEqual([row?.changed_at, row?.must_change], [app.clock.now(), 1])
    app.clock.advance(60)
    const new_password = 'a garden of forking paths'
    assert.equal((await login('first', { password, new_password })).status, 200)
    const [changed] = await passwords(userId)
    assert.deepEqual([changed?.changed_at, changed?.must_change], [app.clock.now(), 0])
    const other = await withoutPassword('second')
    assert.equal((await put('second', { password: passwordOf('second') })).status, 200)
    assert.equal((await passwords(other.userId))[0]?.changed_at, app.clock.now())
    assert.equal((await login('second')).status, 200)
  })

  test('is exported with the hash of an unknown password, so that an import takes it', async () => {
    await withoutPassword('moved')
    const elsewhere = await testApp()
    const unknownHash = await createPasswords(app.deps).dummy()
    const texts: string[] = []
    for await (const text of exportAccounts(app.deps, { withHashes: true, unknownHash })) {
      texts.push(text)
    }
    const moved = readLines(texts.join('')).filter(({ username }) => username === 'moved')
    assert.deepEqual(
      moved.map(({ password_hash }) => password_hash),
      [unknownHash],
    )
    const there = await elsewhere.bearer(elsewhere.admin)
    assert.equal((await importLines(elsewhere, there, moved)).status, 200)
    const json = { username: 'moved', password: passwordOf('moved'), mode: 'token' }
    const answer = await elsewhere.call('POST', '/login', { json })
    assertRefusal(answer, 401, 'Invalid credentials')
    await elsewhere.close()
  })
})
