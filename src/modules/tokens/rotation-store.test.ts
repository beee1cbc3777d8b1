// A database makes a difference: each compiles its own text.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { firstExpiryOf, pairIdOf } from './pair.ts'
import { storePairEnd } from './pair-end.ts'
import { rotationStore } from './rotation-store.ts'

const clock = fixedClock()
suite('the store of rotations', async () => {
  const { db } = await ownDatabase()
  const store = rotationStore(db)
  const seconds = clock.now() / 1000

  const use = (rid: string, successor: string, expiresAt = 100, family = 'f') => ({
    ...{ rid, successor, family, expiresAt },
    ...{ issuedAt: 50, usedAt: 50_007 },
  })
  const ended = () =>
    db.selectFrom('refresh_families_ended').selectAll().orderBy('family').execute()
  async function clear() {
    await db.deleteFrom('refresh_uses').execute()
    await db.deleteFrom('refresh_families_ended').execute()
  }

  suite('the id of a pair', () => {
    test('differs by the id and by the expiry of its first refresh token, and holds neither id', () => {
      const id = pairIdOf({ rid: 'a', exp: 100 })
      assert.equal(id, pairIdOf({ rid: 'a', exp: 100 }))
      assert.notEqual(id, pairIdOf({ rid: 'b', exp: 100 }))
      assert.notEqual(id, pairIdOf({ rid: 'a', exp: 101 }))
      assert.match(id, /^[A-Za-z0-9_-]{43}\.100$/)
    })

    test('holds the expiry in whole seconds, rounded up', () => {
      for (const [exp, found] of [
        [100, 100],
        [100.2, 101],
        [1e300, Number.MAX_SAFE_INTEGER],
      ] as const) {
        assert.equal(firstExpiryOf(pairIdOf({ rid: 'a', exp })), found)
      }
      for (const id of ['a', 'a.', 'a.b', 'a.1 ', '100', 'a.12345678901234567']) {
        assert.equal(firstExpiryOf(id), 0, id)
      }
    })
  })

  suite('the uses of refresh tokens', () => {
    test('a use is found by its token alone', async () => {
      await clear()
      await store.insert(use('a', 'b'))
      assert.deepEqual(await store.use('a'), use('a', 'b'))
      for (const rid of ['b', 'f', 'c']) assert.equal(await store.use(rid), null)
    })

    test('a family comes from the use, from the use that issued the token, or is new', async () => {
      await clear()
      for (const one of [use('a', 'b'), use('b', 'c'), use('x', 'y', 100, 'g')]) {
        await store.insert(one)
      }
      const familyOf = (rid: string) => store.familyOf({ rid, exp: 100 })
      for (const rid of ['a', 'b', 'c']) {
        assert.deepEqual(await familyOf(rid), { id: 'f', isEnded: false })
      }
      assert.deepEqual(await familyOf('y'), { id: 'g', isEnded: false })
      const first = pairIdOf({ rid: 'd', exp: 100 })
      assert.deepEqual(await familyOf('d'), { id: first, isEnded: false })
      await store.end('f', 200)
      await store.end(first, 200)
      for (const [rid, isEnded] of Object.entries({ a: true, c: true, d: true, x: false })) {
        assert.equal((await familyOf(rid)).isEnded, isEnded, rid)
      }
      assert.deepEqual(
        await Promise.all(['f', 'g', first, 'a'].map((family) => store.isEnded(family))),
        [true, false, true, false],
      )
    })

    test('the last expiry belongs to the family alone', async () => {
      await clear()
      for (const one of [use('a', 'b', 300), use('b', 'c', 200), use('x', 'y', 900, 'g')]) {
        await store.insert(one)
      }
      assert.equal(await store.lastExpiryOf('f'), 300)
      assert.equal(await store.lastExpiryOf('g'), 900)
      assert.equal(await store.lastExpiryOf('h'), 0)
    })

    test('an end that is stored again is kept for the longer time', async () => {
      await clear()
      for (const expiresAt of [200, 300, 250]) await store.end('f', expiresAt)
      await store.end('g', 100)
      assert.deepEqual(await ended(), [
        { family: 'f', expires_at: 300 },
        { family: 'g', expires_at: 100 },
      ])
    })

    test('a purge deletes what has expired, in batches, and answers the larger count', async () => {
      await clear()
      for (const [index, expiresAt] of [100, 101, 102, 103].entries()) {
        await store.insert(use(`a${index}`, `b${index}`, expiresAt))
      }
      for (const [index, expiresAt] of [100, 102].entries()) await store.end(`f${index}`, expiresAt)
      const uses = async () =>
        (await db.selectFrom('refresh_uses').select('rid').orderBy('rid').execute()).map(
          ({ rid }) => rid,
        )
      assert.equal(await store.purge(99, 10), 0)
      assert.equal(await store.purge(102, 2), 2)
      assert.deepEqual(await uses(), ['a2', 'a3'])
      assert.deepEqual(await ended(), [])
      await store.end('f', 103)
      await store.end('g', 103)
      assert.equal(await store.purge(102, 2), 1)
      assert.deepEqual(await uses(), ['a3'])
      assert.equal(await store.purge(103, 2), 2, 'of the families')
      assert.deepEqual([await uses(), await ended()], [[], []])
    })
  })

  suite('the end of a pair', () => {
    const config = loadConfig({ ACCESS_TOKEN_SECONDS: '100', REFRESH_TOKEN_SECONDS: '500' })
    const longAccess = loadConfig({ ACCESS_TOKEN_SECONDS: '700', REFRESH_TOKEN_SECONDS: '500' })
    const endOf = async (sid: string, exp = 0, given = config) => {
      await storePairEnd(db, sid, exp, { config: given, clock })
      const row = (await ended()).find(({ family }) => family === sid)
      return row && row.expires_at - seconds
    }

    test('is kept for the longest time that a token of the pair may live', async () => {
      await clear()
      assert.equal(await endOf('a'), 500, 'a refresh token of now')
      assert.equal(await endOf('b', 0, longAccess), 700, 'an access token of now')
      assert.equal(await endOf('c', seconds + 900.5), 901, 'the presented token')
      assert.equal(await endOf(`d.${seconds + 800}`), 800, 'the first refresh token')
      await store.insert(use('r', 's', seconds + 600, 'e'))
      assert.equal(await endOf('e'), 600, 'the last successor')
      await endOf('f', 1e300)
      const row = (await ended()).find(({ family }) => family === 'f')
      assert.equal(row?.expires_at, Number.MAX_SAFE_INTEGER)
    })
  })
})
