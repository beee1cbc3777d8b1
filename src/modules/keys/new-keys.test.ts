import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { place } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { KeySet } from './key-set.ts'
import { createMasterRing } from './master-ring.ts'
import { createNewKeys } from './new-keys.ts'
import { keyStore } from './store.ts'

const random = seededRandom(11)
const longestMs = 1_000_000

/** What makes keys in an empty database, and the events of it. */
async function made(env: Record<string, string> = {}) {
  const { directory, db, clock } = await place()
  const lifetimes = {
    TOKEN_SECONDS: '100',
    ACCESS_TOKEN_SECONDS: '1000',
    REFRESH_TOKEN_SECONDS: '900',
  }
  const config = loadConfig({ DATA_DIR: directory, ...lifetimes, ...env })
  const ring = createMasterRing({ config, random, mayCreate: true })
  const emitted: unknown[] = []
  const events = {
    async emitInTransaction(_: unknown, type: { name: string }, payload: object) {
      emitted.push([type.name, payload])
    },
  }
  const makes = createNewKeys({ config, db, clock, random, ring, events: events as never })
  const all = () => keyStore(db).all()
  return { db, clock, ring, makes, all, emitted }
}

suite('the keys that are missing', () => {
  test('are made once, one for each purpose that is asked for', async () => {
    const { clock, makes, all, ring, emitted } = await made()
    await makes.addMissing({ signing: 'HS256', data: 'A256GCM' })
    const first = await all()
    assert.deepEqual(first.map(({ purpose, algorithm }) => `${purpose} ${algorithm}`).toSorted(), [
      'data A256GCM',
      'signing HS256',
    ])
    for (const key of first) {
      const { id, createdAt, retiredAt, signsFrom, isOlder } = key
      assert.match(id, /^[A-Za-z0-9_][A-Za-z0-9_-]{15}$/)
      assert.deepEqual([createdAt, retiredAt, signsFrom, isOlder], [clock.now(), null, null, false])
      assert.equal(ring.open(key).length, 32)
    }
    await makes.addMissing({ signing: 'HS256', refresh: 'HS256', data: 'A256GCM' })
    assert.equal((await all()).length, 3)
    assert.deepEqual(emitted, [], 'a first key is no rotation')
  })

  test('are younger than the other keys of their purpose, whose clock may have been ahead', async () => {
    const { clock, makes, all } = await made()
    await makes.addMissing({ signing: 'HS256' })
    clock.advance(-60)
    await makes.addMissing({ signing: 'RS256', refresh: 'HS256' })
    const createdAt = Object.fromEntries(
      (await all()).map((key) => [`${key.purpose} ${key.algorithm}`, key.createdAt - clock.now()]),
    )
    const expected = { 'signing HS256': 60_000, 'signing RS256': 60_001, 'refresh HS256': 0 }
    assert.deepEqual(createdAt, expected)
  })

  test('are made once by processes that start at the same time', async () => {
    const { makes, all } = await made()
    const starts = [0, 1].map(() => makes.addMissing({ signing: 'HS256', data: 'A256GCM' }))
    await Promise.all(starts)
    assert.equal((await all()).length, 2)
  })

  test('are made again in place of keys that are retired', async () => {
    const { db, clock, makes, all } = await made()
    await makes.addMissing({ signing: 'HS256' })
    const [old = assert.fail()] = await all()
    await keyStore(db).retire([old.id], clock.now() + 1)
    await makes.addMissing({ signing: 'HS256' })
    assert.equal((await all()).length, 2)
  })
})

suite('a successor', () => {
  test('is published for ten minutes; the old key outlives its last token by a minute', async () => {
    const { clock, makes, all, emitted } = await made()
    await makes.addMissing({ signing: 'HS256', refresh: 'HS256', data: 'A256GCM' })
    const old = (await all()).find(({ purpose }) => purpose === 'signing') ?? assert.fail()
    clock.advance(5)
    const signsFrom = clock.now() + 600_000
    const added = await makes.replace('signing', 'HS256')
    assert.deepEqual(added, { kid: added?.kid, signsFrom })
    const payload = { kid: added?.kid, purpose: 'signing', signs_from: isoTime(signsFrom) }
    assert.deepEqual(emitted, [['key_rotated', payload]])
    const retired = (await all()).filter(({ retiredAt }) => retiredAt !== null)
    assert.deepEqual(
      retired.map(({ id, retiredAt }) => [id, retiredAt]),
      [[old.id, signsFrom + longestMs + 60_000]],
    )
    const next = (await all()).find(({ id }) => id === added?.kid)
    assert.deepEqual([next?.signsFrom, next?.createdAt], [signsFrom, clock.now()])
  })

  test('that signs at once has no time to wait for', async () => {
    const { clock, makes, all, emitted } = await made()
    await makes.addMissing({ refresh: 'HS256' })
    const [old = assert.fail()] = await all()
    const added = await makes.replace('refresh', 'HS256', { atOnce: true })
    assert.equal(added?.signsFrom, null)
    const payload = { kid: added.kid, purpose: 'refresh', signs_from: isoTime(clock.now()) }
    assert.deepEqual(emitted, [['key_rotated', payload]])
    const before = (await all()).find(({ id }) => id === old.id)
    assert.equal(before?.retiredAt, clock.now() + longestMs + 60_000)
  })

  test('replaces a key of an age alone, and of two processes one adds it', async () => {
    const { clock, makes, all } = await made()
    await makes.addMissing({ signing: 'HS256' })
    const how = { ifOlderThanMs: 5000 }
    clock.advance(4.999)
    assert.equal(await makes.replace('signing', 'HS256', how), null)
    clock.advance(0.001)
    const both = [0, 1].map(() => makes.replace('signing', 'HS256', how))
    const added = (await Promise.all(both)).filter((one) => one !== null)
    assert.deepEqual([added.length, (await all()).length], [1, 2])
    clock.advance(5)
    const old = await makes.replace('signing', 'RS256', how)
    assert.ok(old, 'no key of the algorithm is young')
  })

  test('has the length of TOKEN_RSA_BITS, and is never shorter than the key in use', async () => {
    const { load, clock } = await place()
    const bits = ({ current }: KeySet) => current.verifyWith.asymmetricKeyDetails?.modulusLength
    const long = await load({ TOKEN_ALGORITHM: 'RS256', TOKEN_RSA_BITS: '2304' })
    assert.equal(bits(long), 2304)
    const keys = await load({ TOKEN_ALGORITHM: 'RS256' })
    const { kid } = await keys.rotate({ atOnce: true })
    clock.advance(3)
    assert.deepEqual([keys.current.kid, bits(keys)], [kid, 2304])
    const longer = await load({ TOKEN_ALGORITHM: 'RS256', TOKEN_RSA_BITS: '2560' })
    assert.equal(bits(longer), 2304, 'what exists stays')
    await longer.rotate({ atOnce: true })
    clock.advance(3)
    assert.equal(bits(longer), 2560)
  })

  test('is not added by a caller who may no longer add it', async () => {
    const { makes, all, emitted } = await made()
    await makes.addMissing({ signing: 'HS256' })
    const before = await all()
    const guard: Guard = {
      lockNames: () => [],
      authorize: () => Promise.reject(new Error('no longer allowed')),
    }
    await assert.rejects(makes.replace('signing', 'HS256', { guard }), /no longer allowed/)
    assert.deepEqual([await all(), emitted], [before, []])
  })
})
