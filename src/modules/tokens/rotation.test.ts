import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { seededRandom } from '../../../test/random.ts'
import { pairIdOf } from './pair.ts'
import { createRotation } from './rotation.ts'
import { rotationStore } from './rotation-store.ts'

const clock = fixedClock()
suite('rotations on a database', async () => {
  const { db, asyncCommitDb } = await ownDatabase()

  const emitted: unknown[] = []
  const events = {
    async emitInTransaction(_: unknown, type: { name: string }, payload: object, more: object) {
      emitted.push([type.name, payload, more])
    },
  }
  const config = loadConfig({ REFRESH_TOKEN_SECONDS: '600', REFRESH_GRACE_SECONDS: '10' })
  const rotation = createRotation({
    ...{ config, db, asyncCommitDb, clock, random: seededRandom(1) },
    events,
  } as unknown as Parameters<typeof createRotation>[0])

  const seconds = () => Math.floor(clock.now() / 1000)
  const claimsOf = (rid: string, exp = seconds() + 600) => ({
    ...{ rid, exp, sub: '7', ver: 1, authTime: 0, amr: [] },
  })
  const login = { username: 'ann' as never, factors: [], jti: 'j' }
  let guards = 0
  const guard = {
    lockNames: () => [],
    async authorize() {
      guards += 1
    },
  }
  const use = (claims: ReturnType<typeof claimsOf>) => rotation.use(claims, guard, login)
  async function successor(claims: ReturnType<typeof claimsOf>) {
    const found = await use(claims)
    assert.ok(found !== 'reused')
    return found
  }

  suite('the rotation of refresh tokens', () => {
    test('each use gives a successor of the configured life, and records it', async () => {
      emitted.length = 0
      guards = 0
      const claims = claimsOf('a')
      const { rid, ...times } = await successor(claims)
      assert.match(rid, /^[A-Za-z0-9_-]{22}$/)
      assert.deepEqual(times, { issuedAt: seconds(), expiresAt: seconds() + 600 })
      const event = ['authn_token_created', { user_id: 7, grant: 'refresh' }, { login }]
      assert.deepEqual([emitted, guards], [[event], 1])
      const pair = { id: pairIdOf(claims), isEnded: false }
      for (const id of ['a', rid]) {
        assert.deepEqual(await rotation.pairOf(claimsOf(id, claims.exp)), pair)
      }
      const spent = (id: string) => rotation.isSpent(claimsOf(id, claims.exp))
      assert.deepEqual([await spent('a'), await spent(rid)], [true, false])
      await rotationStore(db).end(pair.id, seconds() + 600)
      assert.equal(await spent(rid), true)
    })

    test('a use stays known for as long as the used token lives', async () => {
      const { expiresAt } = await successor(claimsOf('long', seconds() + 900))
      assert.equal(expiresAt, seconds() + 900)
    })

    test('a retry gets the same successor until the grace period ends', async () => {
      const claims = claimsOf('b')
      const first = await successor(claims)
      clock.advance(9.999)
      assert.deepEqual(await successor(claims), first)
      clock.advance(0.001)
      emitted.length = 0
      assert.equal(await use(claims), 'reused')
      assert.deepEqual(emitted, [])
      assert.equal((await rotation.pairOf(claims)).isEnded, false, 'the caller ends the pair')
    })

    test('a retry after the use of its successor is a reuse', async () => {
      const claims = claimsOf('c')
      const { rid } = await successor(claims)
      await successor(claimsOf(rid))
      assert.equal(await use(claims), 'reused')
    })

    test('no token of an ended family is used, not even again', async () => {
      const claims = claimsOf('d')
      const { rid } = await successor(claims)
      await rotationStore(db).end(pairIdOf(claims), seconds() + 600)
      for (const one of [claims, claimsOf(rid)]) assert.equal(await use(one), 'reused')
    })

    test('what expired a day ago is purged', async () => {
      await rotation.purge(1000)
      const claims = claimsOf('e')
      await successor(claims)
      clock.advance(600 + 86_399)
      await rotation.purge(1000)
      assert.equal(await rotation.isSpent(claims), true)
      clock.advance(1)
      assert.ok((await rotation.purge(1000)) > 0)
      assert.equal(await rotation.isSpent(claims), false)
    })
  })
})
