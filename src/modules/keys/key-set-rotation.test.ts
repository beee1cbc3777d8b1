import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { place } from '../../../test/keys.ts'

const daySeconds = 86_400

suite('the rotation of keys', () => {
  test('the key of ID tokens is added once, published, and rotated like the others', async () => {
    const { load, kinds, clock } = await place()
    const keys = await load({ KEY_ROTATION_DAYS: '1' })
    await assert.rejects(keys.rotate({ purpose: 'identity' }), /no key signs ID tokens/)
    await keys.addIdentity()
    const all = ['data A256GCM', 'identity RS256', 'refresh HS256', 'signing HS256']
    assert.deepEqual(await kinds(), all)
    await keys.addIdentity()
    assert.deepEqual(await kinds(), all)
    const published = keys.publicKeys().keys.map(({ kid }) => kid)
    const { kid } = await keys.signer('identity')
    assert.deepEqual(published, [kid])
    assert.equal((await keys.find(kid, 'identity'))?.kid, kid)
    assert.equal(await keys.find(kid), undefined)
    clock.advance(daySeconds)
    assert.equal(await keys.rotateIfDue(), true)
    assert.deepEqual(await kinds(), [...all.slice(1), ...all].toSorted())
  })

  test('keys are replaced at the age of the setting, once, and never without it', async () => {
    const { load, rows, clock } = await place()
    const keys = await load({ KEY_ROTATION_DAYS: '2' })
    const never = await load()
    clock.advance(2 * daySeconds - 0.001)
    assert.equal(await keys.rotateIfDue(), false)
    clock.advance(0.001)
    assert.equal(await never.rotateIfDue(), false)
    assert.equal((await rows()).length, 3)
    assert.equal(await keys.rotateIfDue(), true)
    assert.equal(await keys.rotateIfDue(), false)
    assert.equal((await rows()).length, 5)
  })

  test('a replaced key is retired once its successor signs, and its tokens end', async () => {
    const { load, rows, clock } = await place()
    const keys = await load()
    const old = keys.current.kid
    await assert.rejects(keys.retire(old), /^Error: this key signs: rotate first$/)
    clock.advance(60)
    const { kid, before } = await keys.rotate({ atOnce: true })
    assert.equal(before, old)
    const listed = async (id: string) => {
      const found = (await keys.list()).find((key) => key.id === id)
      return [found?.signs, found?.canRetire, found?.retiredAt !== null]
    }
    assert.deepEqual(
      [await listed(old), await listed(kid)],
      [
        [true, false, true],
        [false, false, false],
      ],
    )
    const stored = await rows()
    await assert.rejects(keys.retire(old), /this key signs until its successor does/)
    assert.deepEqual(await rows(), stored)
    clock.advance(3)
    assert.deepEqual(
      [await listed(old), await listed(kid)],
      [
        [false, true, true],
        [true, false, false],
      ],
    )
    const { generation } = keys
    assert.deepEqual([await keys.retire(old), await keys.retire(old)], [true, false])
    assert.notEqual(keys.generation, generation)
    assert.equal(await keys.find(old), undefined)
    assert.deepEqual(await listed(old), [false, false, true])
    assert.equal(await keys.retire('unknown'), false)
  })

  test('a key of another algorithm is retired at once; the data key never', async () => {
    const { load } = await place()
    const old = (await load()).current.kid
    const keys = await load({ TOKEN_ALGORITHM: 'RS256' })
    const data = (await keys.list()).find(({ purpose }) => purpose === 'data')
    assert.ok(data)
    assert.deepEqual([data.canRetire, await keys.retire(data.id)], [false, false])
    const canRetire = async () => (await keys.list()).find(({ id }) => id === old)?.canRetire
    assert.equal(await canRetire(), true)
    assert.equal(await keys.retire(old), true)
    assert.equal(await canRetire(), false)
  })

  test('a public key is published until it is retired', async () => {
    const { load, clock } = await place()
    const keys = await load({ TOKEN_ALGORITHM: 'RS256' })
    const old = keys.current.kid
    const kids = async () => {
      const { keys: all, maxAgeSeconds } = await keys.published()
      return [all.map((key) => key.kid), maxAgeSeconds]
    }
    assert.deepEqual(await kids(), [[old], 300])
    const { kid } = await keys.rotate({ atOnce: true })
    assert.deepEqual(await kids(), [[kid, old], 300])
    clock.advance(3)
    await keys.retire(old)
    assert.deepEqual(await kids(), [[kid], 300])
  })

  test('the keys of the last ten minutes are published while the database is away', async () => {
    const { load, db, clock } = await place()
    const feed = { isCurrent: () => false, version: () => 1 }
    const keys = await load({ TOKEN_ALGORITHM: 'RS256' }, db, undefined, { feed })
    const { keys: before } = await keys.published()
    await db.schema.alterTable('keys').renameTo('hidden').execute()
    clock.advance(599.999)
    assert.deepEqual(await keys.published(), { keys: before, maxAgeSeconds: 0 })
    await assert.rejects(keys.signer('signing'), 'a key that may have been retired')
    clock.advance(0.001)
    await assert.rejects(keys.published())
    await db.schema.alterTable('hidden').renameTo('keys').execute()
    assert.deepEqual(await keys.published(), { keys: before, maxAgeSeconds: 300 })
  })

  test('an unknown kid is looked up once a second', async () => {
    const { load, db, clock } = await place()
    let version = 1
    const feed = { isCurrent: () => true, version: () => version }
    const keys = await load({}, db, undefined, { feed })
    const isLookedUp = async () => {
      const found = keys.find('unknown')
      await found
      return found instanceof Promise
    }
    assert.equal(await isLookedUp(), false)
    clock.advance(0.999)
    assert.equal(await isLookedUp(), false)
    clock.advance(0.001)
    assert.deepEqual([await isLookedUp(), await isLookedUp()], [true, false])
    version += 1
    assert.deepEqual([await isLookedUp(), await isLookedUp()], [true, false])
    assert.equal(keys.refreshed(), undefined, 'there is nothing to read')
    version += 1
    await (keys.refreshed() ?? assert.fail('another process changed the database'))
    assert.equal(keys.refreshed(), undefined)
  })
})
