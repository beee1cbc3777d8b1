import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { type TestApp, testApp } from '../app.ts'
import { countHashes, storedHash, storeHash } from '../hashes.ts'
import { doors } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { interruptedReads } from '../watched-database.ts'

suite('a better hash of the same password', async () => {
  const { options, atNextRead } = await interruptedReads('accounts')
  const app: TestApp = await testApp({}, options)

  test('never overwrites a password that was set while the old one was verified', async () => {
    const who = await app.account('ann')
    const next = { username: who.username, password: 'harbour violet 88 anthem' }
    await storeHash(app, who.userId, await bcryptHash(who.password, 4)) // due for a better one
    let set = ''
    // The login has read the account, and verifies the password of then.
    atNextRead(async () => {
      const { password } = next
      const headers = app.basic(app.admin)
      const json = { password }
      const changed = await app.call('PUT', '/api/admin/accounts/ann', { headers, json })
      assert.equal(changed.status, 200)
      set = await storedHash(app, who.userId)
    })
    assertRefusal(await doors.JSON(app, who), 401, 'Invalid credentials')
    assert.notEqual(set, '')
    assert.equal(await storedHash(app, who.userId), set)
    assert.equal((await doors.JSON(app, next)).status, 200)
    assertRefusal(await doors.JSON(app, who), 401, 'Invalid credentials')
  })

  test('replaces the old one where nothing else was set', async () => {
    const who = await app.account('bob')
    const old = await bcryptHash(who.password, 4)
    await storeHash(app, who.userId, old)
    assert.equal((await doors.JSON(app, who)).status, 200)
    assert.match(await storedHash(app, who.userId), /^\$argon2id\$/)
    assert.equal((await doors.JSON(app, who)).status, 200)
  })
})

suite('verified Basic credentials', async () => {
  const app = await testApp()

  test('are remembered for sixty seconds, and verified again from then on', async () => {
    const who = await app.account('cleo')
    const hashesOf = async () => {
      const { hashes, result } = await countHashes(() => doors.Basic(app, who))
      assert.equal(result.status, 200)
      return hashes
    }
    assert.equal(await hashesOf(), 1)
    app.clock.advance(59.999)
    assert.equal(await hashesOf(), 0)
    app.clock.advance(0.001) // no request has made it longer
    assert.equal(await hashesOf(), 1)
    assert.equal(await hashesOf(), 0)
  })
})
