// A database makes a difference: attempts are rows, reserved and settled in transactions.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { attemptsOn, limitKey as key, limit } from '../../../test/limits.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { transact } from '../../core/database/transactions.ts'
import { purgeThrottle, type RateLimit } from './throttle.ts'

suite('rate limits', async () => {
  const { db } = await ownDatabase()
  const clock = fixedClock()
  const attempts = attemptsOn(db, clock)
  const { limiter, left } = attempts
  const reserved = attempts.reserved.bind(attempts)
  const refused = attempts.refused.bind(attempts)
  const failed = attempts.failed.bind(attempts)
  const [ann, ben] = [limit('ann'), limit('ben', 3)]

  async function succeeded(...limits: readonly RateLimit[]): Promise<void> {
    const { reservation } = await reserved(...limits)
    await transact(db, [], (trx) => reservation.succeed(trx))
  }

  beforeEach(() => attempts.clear())

  suite('a quota', () => {
    test('admits so many attempts in a window that slides, and says when it admits again', async () => {
      const now = clock.now()
      await failed(1, ann)
      clock.advance(10)
      await failed(1, ann)
      const full = await refused(ann)
      assert.deepEqual(full, {
        exceeded: ann,
        used: 2,
        freesAt: now + 60_000,
        retryAfterSeconds: 50,
      })
      clock.advance(49.999)
      assert.equal((await refused(ann)).retryAfterSeconds, 1)
      clock.advance(0.001)
      await failed(1, ann)
      assert.equal((await refused(ann)).freesAt, now + 70_000)
    })

    test('of 0 limits nothing and stores nothing; work of a failure is done', async () => {
      const { reservation, usedUp } = await reserved(limit('ann', 0))
      assert.equal(reservation.takenAt, clock.now())
      assert.equal(usedUp, null)
      await reservation.fail()
      await reservation.cancel()
      await transact(db, [], (trx) => reservation.succeed(trx))
      let inTransaction: boolean | undefined
      await reservation.fail(async (trx) => {
        inTransaction = trx.isTransaction
      })
      assert.equal(inTransaction, true)
      assert.equal(await left(), '')
    })

    test('that is full lets no other limit of the attempt count it', async () => {
      await failed(2, ann)
      assert.equal((await refused(ben, ann)).exceeded, ann)
      assert.equal(await left(), 'ann ann')
      await failed(1, ben)
    })

    test('reserves until its window has passed, however long the window is', async () => {
      const long = { attempts: 1, windowSeconds: Number.MAX_SAFE_INTEGER }
      await reserved(ann, limit('long', 1, { quota: long }))
      const rows = await db
        .selectFrom('throttle_places')
        .select('expires_at')
        .orderBy('id')
        .execute()
      const ends = rows.map(({ expires_at }) => expires_at)
      assert.deepEqual(ends, [clock.now() + 60_000, Number.MAX_SAFE_INTEGER])
      clock.advance(60)
      assert.equal(await purgeThrottle({ db, clock }, 9), 1)
      assert.equal(await left(), 'long?')
    })
  })

  suite('an attempt', () => {
    test('that fails counts; its further changes are of the same transaction', async () => {
      const { reservation } = await reserved(ann, ben)
      assert.equal(await left(), 'ann? ben?')
      const error = new Error('refused')
      await assert.rejects(
        reservation.fail(async () => Promise.reject(error)),
        error,
      )
      assert.equal(await left(), 'ann? ben?')
      await reservation.fail(async (trx) => assert.equal(trx.isTransaction, true))
      assert.equal(await left(), 'ann ben')
    })

    test('that is cancelled leaves nothing, and the earlier ones stay', async () => {
      await failed(1, ann)
      const { reservation } = await reserved(ann)
      await reservation.cancel()
      assert.equal(await left(), 'ann')
    })

    test('that succeeds resets its limits, but not the pending attempts of others', async () => {
      const address = limit('address', 9, { resetsOnSuccess: false })
      await failed(1, ann, ben, address)
      await failed(1, limit('other'))
      await reserved(ben)
      await succeeded(ann, ben, address)
      assert.equal(await left(), 'address other ben?')
      clock.advance(9.999)
      await succeeded(ben)
      assert.equal(await left(), 'address other ben?')
      clock.advance(0.001)
      await succeeded(ben)
      assert.equal(await left(), 'address other', 'its process is gone')
    })

    test('whose transaction is rolled back stays pending', async () => {
      const { reservation } = await reserved(ann)
      const error = new Error('no')
      const work = transact(db, [], async (trx) => {
        await reservation.succeed(trx)
        throw error
      })
      await assert.rejects(work, error)
      assert.equal(await left(), 'ann?')
    })
  })

  suite('a limit of several keys', () => {
    const byEmail = (more: Partial<RateLimit> = {}) =>
      limit('email', 3, { also: [key('ann')], ...more })

    test('counts the attempts of all, and a success resets all', async () => {
      await failed(2, ann)
      await failed(1, byEmail())
      assert.equal((await refused(byEmail())).used, 3)
      await db.deleteFrom('throttle_places').where('username', '=', 'email').execute()
      await succeeded(byEmail())
      assert.equal(await left(), '')
    })

    test('can take no place of its own', async () => {
      await failed(1, byEmail({ takesPlace: false }), ben)
      assert.equal(await left(), 'ben')
      await failed(1, byEmail({ takesPlace: true }))
      assert.equal(await left(), 'ben email')
      const { reservation } = await reserved(byEmail({ takesPlace: false }))
      await reservation.fail()
      assert.equal(await left(), 'ben email')
    })

    test('can admit above the quota an attempt that must fail', async () => {
      const hidden = byEmail({ admitsToFail: true })
      assert.equal((await reserved(hidden)).usedUp, null)
      await failed(2, ann)
      const { usedUp, reservation } = await reserved(hidden, ben)
      const frees_at = clock.now() + 10_000 // the pending one
      assert.deepEqual(usedUp, { used: 3, attempts: 3, window_seconds: 60, frees_at })
      await reservation.cancel()
      assert.equal(await left(), 'email? ann ann')
    })
  })

  suite('a limit in place of another', () => {
    const device = limit('device', 1)
    const address = limit('address', 2, { inPlaceOf: device, resetsOnSuccess: false })

    test('counts only while the other has no room', async () => {
      await failed(3, limit('address', 9))
      await failed(1, address)
      assert.equal(await left(), 'address address address device')
      const full = await refused(address)
      assert.deepEqual([full.exceeded, full.used], [address, 3])
      await db.deleteFrom('throttle_places').where('username', '=', 'address').execute()
      await failed(2, address)
      assert.equal((await refused(address)).used, 2)
      assert.equal(await left(), 'device address address')
    })

    test('is reset by a success if it counted', async () => {
      await failed(1, device)
      await succeeded(address)
      assert.equal(await left(), 'device')
      clock.advance(60)
      await succeeded(address)
      assert.equal(await left(), '')
    })

    test('needs a reservation', async () => {
      const message = 'a limit in place of another needs a reservation'
      await assert.rejects(limiter.admit([address]), { message })
    })
  })

  suite('an attempt without a reservation', () => {
    test('resets the limits as a success does', async () => {
      const stays = limit('stays', 9, { resetsOnSuccess: false })
      await failed(1, ann, ben, stays)
      await reserved(ben)
      assert.equal(await limiter.admit([ann, limit('none', 0), stays, ben]), null)
      assert.equal(await left(), 'stays ben?')
    })

    test('is refused by failed attempts alone, and then resets nothing', async () => {
      await failed(1, ben)
      await reserved(ann)
      await failed(1, ann)
      assert.equal(await limiter.admit([ann]), null)
      await failed(1, ann)
      clock.advance(10)
      const full = await limiter.admit([ben, ann])
      assert.deepEqual([full?.exceeded, full?.used], [ann, 2])
      assert.equal(await left(), 'ben ann? ann')
    })
  })
})
