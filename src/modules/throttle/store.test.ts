// A database makes a difference: the store is its statements.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { ownDatabase } from '../../../test/own-database.ts'
import { purgeAttempts, type ThrottleKey, throttleStore } from './store.ts'

suite('the statements of the rate limits', async () => {
  const { db } = await ownDatabase()
  const store = throttleStore(db)
  const key = (username: string, address = 'x'): ThrottleKey => ({ username, address })
  const [ann, annElsewhere, ben] = [key('ann'), key('ann', 'y'), key('ben')]
  const login = key('l'.repeat(43))
  const otherLogin = key('m'.repeat(43))
  const address = key('')

  async function take(
    takenAt: number,
    of: ThrottleKey,
    expiresAt = takenAt + 1000,
  ): Promise<number> {
    const [id = 0] = await store.insertPending(takenAt, [{ key: of, expiresAt }])
    return id
  }

  async function fail(
    takenAt: number,
    of: ThrottleKey,
    expiresAt = takenAt + 1000,
  ): Promise<number> {
    const id = await take(takenAt, of, expiresAt)
    await store.markFailed([id])
    return id
  }

  async function left(): Promise<number[]> {
    const rows = await db.selectFrom('throttle_places').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  beforeEach(async () => {
    await db.deleteFrom('throttle_places').execute()
  })

  suite('the attempts in windows', () => {
    test('are of one key each, oldest first, after the start of the window', async () => {
      const [at3, at1, at2] = [await take(3, ann), await take(1, ann), await fail(2, ann)]
      const again = await fail(2, ann)
      const others = [await fail(2, annElsewhere), await fail(5, ben)]
      const windows = [
        { key: ann, since: 1 },
        { key: ann, since: 0 },
        { key: ben, since: 5 },
        { key: annElsewhere, since: 1 },
        { key: ben, since: 4 },
      ]
      const two = { id: at2, takenAt: 2, pending: false }
      const three = { id: at3, takenAt: 3, pending: true }
      const late = [two, { ...two, id: again }, three]
      assert.deepEqual(await store.attempts(windows), [
        late,
        [{ id: at1, takenAt: 1, pending: true }, ...late],
        [],
        [{ id: others[0], takenAt: 2, pending: false }],
        [{ id: others[1], takenAt: 5, pending: false }],
      ])
      assert.deepEqual(await store.attempts([]), [])
    })

    test('are inserted together, and marked or removed by their ids alone', async () => {
      const attempts = [ann, ben].map((of) => ({ key: of, expiresAt: 9 }))
      const ids = await store.insertPending(1, attempts)
      assert.equal(new Set(ids).size, 2)
      const other = await take(1, ann)
      await store.markFailed(ids.slice(0, 1))
      const [ofAnn = []] = await store.attempts([{ key: ann, since: 0 }])
      assert.deepEqual(ofAnn.map(({ id, pending }) => [id, pending]).toSorted(), [
        [ids[0], false],
        [other, true],
      ])
      await store.remove(ids.slice(1))
      assert.deepEqual(await left(), [ids[0], other])
    })

    test('are cleared by their ids, and the failed and lapsed ones by their keys', async () => {
      const own = await take(50, ann)
      const [failed, elsewhere] = [await fail(90, ann), await fail(90, annElsewhere)]
      const [lapsed, pending] = [await take(60, ann), await take(61, ann)]
      const ofBen = await fail(1, ben)
      await store.clear([own], [], 0)
      assert.deepEqual(await left(), [failed, elsewhere, lapsed, pending, ofBen])
      await store.clear([], [ann], 60)
      assert.deepEqual(await left(), [elsewhere, pending, ofBen])
      await store.clear([pending], [annElsewhere, ben], 60)
      assert.deepEqual(await left(), [])
    })

    test('are purged once they have expired, a batch at a time', async () => {
      for (const expiresAt of [10, 11, 12, 13]) await fail(1, ann, expiresAt)
      assert.equal(await purgeAttempts(db, 12, 2), 2)
      assert.equal(await purgeAttempts(db, 12, 2), 1)
      assert.equal(await purgeAttempts(db, 12, 2), 0)
      assert.equal((await left()).length, 1)
    })
  })

  suite('the keys that count an attempt', () => {
    async function some(): Promise<void> {
      await fail(1, ann)
      await fail(1, ben)
      await fail(1, key('expired'), 5)
      await fail(1, annElsewhere, 6)
      await fail(2, ann)
    }

    test('are listed once, last used first, by pages', async () => {
      await some()
      assert.deepEqual(await store.keys(5, 0, 9), [ann, annElsewhere, ben])
      assert.deepEqual(await store.keys(6, 0, 9), [ann, ben])
      assert.deepEqual(await store.keys(5, 1, 1), [annElsewhere])
      const batch = await store.keysBefore(5, Number.MAX_SAFE_INTEGER, 2)
      const shown = (keys: readonly ThrottleKey[]) =>
        keys.map((one) => key(one.username, one.address))
      assert.deepEqual(shown(batch), [ann, annElsewhere])
      assert.deepEqual(shown(await store.keysBefore(5, batch[1]?.id ?? 0, 2)), [ben])
      assert.deepEqual(await store.keysBefore(5, batch[0]?.id ?? 0, 1), [
        { ...annElsewhere, id: batch[1]?.id },
      ])
    })

    test('are counted among the last attempts', async () => {
      await some()
      assert.equal(await store.countKeys(5, 9), 3)
      assert.equal(await store.countKeys(4, 9), 4)
      assert.equal(await store.countKeys(5, 2), 2)
      assert.equal(await store.countKeys(5, 1), 1)
      assert.equal(await store.countKeys(9999, 9), 0)
    })

    test('are found by name, last used first', async () => {
      await some()
      assert.deepEqual(await store.keysOf(['ann', 'expired'], 5, 9), [ann, annElsewhere])
      assert.deepEqual(await store.keysOf(['ben', 'ann'], 6, 9), [ann, ben])
      assert.deepEqual(await store.keysOf(['ben', 'ann'], 5, 2), [ann, annElsewhere])
    })
  })

  suite('the number of full limits', () => {
    const now = 100
    const full = { attempts: 2, since: 50, pendingSince: 90, now }

    test('counts the keys with as many attempts in the window', async () => {
      for (const at of [51, 60]) await fail(at, login)
      for (const at of [50, 60]) await fail(at, otherLogin)
      for (const at of [51, 60]) await fail(at, address)
      assert.equal(await store.countExceeded('login', full), 1)
      assert.equal(await store.countExceeded('address', full), 1)
      await fail(61, otherLogin)
      assert.equal(await store.countExceeded('login', full), 2)
      assert.equal(await store.countExceeded('login', { ...full, attempts: 3 }), 0)
      assert.equal(await store.countExceeded('login', { ...full, now: 5000 }), 0)
    })

    test('leaves out lapsed attempts of an address, and counts attempts of a username', async () => {
      for (const limited of [address, login]) {
        await fail(60, limited)
        await take(90, limited)
      }
      assert.equal(await store.countExceeded('address', full), 0)
      assert.equal(await store.countExceeded('login', full), 1)
      assert.equal(await store.countExceeded('address', { ...full, pendingSince: 89 }), 1)
    })
  })

  suite('failed attempts of names', () => {
    test('are removed with the lapsed ones; those in a window are reported', async () => {
      await fail(1, ann, 101)
      await fail(1, ann, 100)
      await fail(1, annElsewhere, 101)
      const pending = await take(91, ann, 101)
      await take(90, ben, 101)
      const other = await fail(1, login, 101)
      const removed = await store.removeFailedOf(['ann', 'ben'], { now: 100, pendingSince: 90 })
      assert.deepEqual(removed.toSorted(), ['ann', 'ann', 'ben'])
      assert.deepEqual(await left(), [pending, other])
    })

    test('are removed at one address only, where one is given', async () => {
      const here = await fail(1, ann, 101)
      await fail(1, annElsewhere, 101)
      const since = { now: 100, pendingSince: 90, address: 'y' }
      assert.deepEqual(await store.removeFailedOf(['ann', 'ben'], since), ['ann'])
      assert.deepEqual(await left(), [here])
    })
  })
})
