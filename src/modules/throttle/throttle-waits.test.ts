// A database makes a difference: attempts are rows, reserved and settled in transactions.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fixedClock, steppingClock } from '../../../test/clock.ts'
import { attemptsOn, limit } from '../../../test/limits.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { ApiError } from '../../core/errors.ts'
import type { CountedAttempt, ThrottleKey } from './store.ts'
import {
  blockedUntil,
  byTime,
  createLimiter,
  createThrottle,
  isPending,
  tooManyAttempts,
  withoutLapsed,
} from './throttle.ts'

suite('attempts at a rate limit', async () => {
  const { db } = await ownDatabase()
  const clock = fixedClock()
  const attempts = attemptsOn(db, clock)
  const { left } = attempts
  const reserved = attempts.reserved.bind(attempts)
  const refused = attempts.refused.bind(attempts)
  const failed = attempts.failed.bind(attempts)
  const ann = limit('ann')

  beforeEach(() => attempts.clear())

  suite('an attempt that waits', () => {
    test('looks again every 100 ms, and is refused after 2 seconds', async () => {
      await reserved(ann)
      await failed(1, ann)
      const waits: number[] = []
      const stepping = steppingClock(clock)
      const wait = async (milliseconds: number) => {
        waits.push(milliseconds)
        await stepping.wait(milliseconds)
      }
      const before = clock.now()
      const answer = await createLimiter({ db, clock: { ...clock, wait } }).reserve([ann])
      assert.ok('exceeded' in answer)
      assert.equal(clock.now() - before, 2000)
      assert.deepEqual(waits, Array(20).fill(100))
      assert.deepEqual([answer.used, answer.retryAfterSeconds], [2, 8])
    })

    for (const [how, admits] of [
      ['fail', false],
      ['cancel', true],
      ['succeed', true],
    ] as const) {
      test(`looks at once when another attempt has settled: ${how}`, async () => {
        await failed(1, ann)
        const { reservation } = await reserved(ann)
        const entered = Promise.withResolvers<void>()
        // Only a signal ends these waits.
        const wait = (_: number, signal?: AbortSignal) => {
          entered.resolve()
          return new Promise<void>((woken) => {
            if (signal?.aborted) woken()
            else signal?.addEventListener('abort', () => woken(), { once: true })
          })
        }
        const waiting = createLimiter({ db, clock: { ...clock, wait } })
        const first = await waiting.reserve([limit('other', 1)])
        assert.ok('reservation' in first)
        const next = waiting.reserve([limit('other', 1)])
        await entered.promise
        await setImmediate()
        if (how === 'succeed') await transact(db, [], (trx) => first.reservation.succeed(trx))
        else await first.reservation[how]()
        assert.equal('reservation' in (await next), admits)
        await reservation.cancel()
      })
    }

    test('cannot pass beside another that takes the last place', async () => {
      const stepping = createLimiter({ db, clock: steppingClock(clock) })
      const only = limit('ann', 1)
      const answers = await Promise.all([stepping.reserve([only]), stepping.reserve([only])])
      assert.equal(answers.filter((answer) => 'exceeded' in answer).length, 1)
      assert.equal(await left(), 'ann?')
    })

    test('does not wait for a window, nor for an attempt whose process is gone', async () => {
      await reserved(ann)
      await failed(1, ann)
      clock.advance(10)
      assert.equal((await refused(ann)).used, 2)
      assert.deepEqual(clock.waits(), [])
    })

    test('counts an attempt whose process is gone only where it does not lapse', async () => {
      const lapsing = limit('ann', 1, { pendingLapses: true })
      await reserved(lapsing)
      clock.advance(10)
      await failed(1, lapsing)
      assert.equal((await refused(lapsing)).used, 1)
      assert.equal((await refused(limit('ann', 2))).used, 2)
    })
  })

  test('a throttle of one key refuses with 429 until the window has passed', async () => {
    const events = { emit: () => assert.fail('no event is set') }
    const throttle = createThrottle({ db, clock, events }, { attempts: 1, windowSeconds: 60 })
    const factor: ThrottleKey = { username: 'totp 7', address: '' }
    const error = new Error('the database is away')
    await assert.rejects(
      throttle.attempt(factor, () => Promise.reject(error)),
      error,
    )
    assert.equal(await left(), '')
    assert.equal(await throttle.attempt(factor, async () => 'done'), 'done')
    assert.equal(await left(), '')
    const reservation = await reserved(limit('', 1, { key: factor }))
    await reservation.reservation.fail()
    await assert.rejects(
      throttle.attempt(factor, async () => assert.fail('not admitted')),
      (refusal: ApiError) => {
        assert.equal(refusal.row, 'tooManyLoginAttempts')
        assert.equal(refusal.retryAfterSeconds, 60)
        const facts = { used: 1, attempts: 1, window_seconds: 60, frees_at: clock.now() + 60_000 }
        assert.deepEqual(refusal.reason, {
          code: 'limit_second_factor',
          facts: { ...facts, user_id: 7 },
        })
        return true
      },
    )
  })

  suite('counted attempts', () => {
    const failedAt = (takenAt: number, id = 0): CountedAttempt => ({ id, takenAt, pending: false })
    const pendingAt = (takenAt: number): CountedAttempt => ({ ...failedAt(takenAt), pending: true })

    test('are pending for 10 seconds', () => {
      assert.equal(isPending(pendingAt(1), 10_000), true)
      assert.equal(isPending(pendingAt(0), 10_000), false)
      assert.equal(isPending(failedAt(1), 1), false)
    })

    test('lapse after these where the limit says so', () => {
      const all = [pendingAt(0), pendingAt(1), failedAt(0)]
      assert.deepEqual(withoutLapsed(all, { pendingLapses: true }, 10_000), all.slice(1))
      assert.deepEqual(withoutLapsed(all, { pendingLapses: false }, 10_000), all)
    })

    test('are in the order of their times, then of their ids', () => {
      const ordered = [failedAt(1, 3), failedAt(2, 1), failedAt(2, 2), failedAt(3, 0)]
      assert.deepEqual(ordered.toReversed().toSorted(byTime), ordered)
    })

    test('block until enough of them have left the window, or the first pending one is settled', () => {
      const quota = { attempts: 2, windowSeconds: 60 }
      const four = [1, 2, 3, 4].map((takenAt) => failedAt(takenAt))
      assert.equal(blockedUntil(quota, four, 5), 60_003)
      assert.equal(blockedUntil(quota, four.slice(0, 2), 5), 60_001)
      assert.equal(blockedUntil({ ...quota, attempts: 4 }, four, 5), 60_001)
      assert.equal(blockedUntil(quota, [...four, pendingAt(5), pendingAt(6)], 7), 10_005)
      assert.equal(blockedUntil(quota, [...four, pendingAt(5)], 10_005), 60_004)
      assert.equal(blockedUntil(quota, [], 5), 60_005)
    })
  })

  test('a refusal names the limit in its reason', () => {
    const facts = { used: 3, attempts: 2, window_seconds: 60, frees_at: 7 }
    for (const [username, code] of [
      ['a'.repeat(43), 'limit_username_address'],
      ['email a', 'limit_username_address'],
      ['device 7', 'limit_address'],
      ['', 'limit_address'],
      ['captcha a', 'captcha_absent'],
      ['client a', 'limit_client'],
      ['clients of an address', 'limit_client_address'],
      ['passkeys of an address', 'limit_passkey_address'],
      ['taken usernames ', 'limit_taken_usernames'],
    ] as const) {
      const exceeded = { exceeded: limit(username), used: 3, freesAt: 7, retryAfterSeconds: 5 }
      const refusal = tooManyAttempts(exceeded)
      assert.deepEqual([refusal.row, refusal.retryAfterSeconds], ['tooManyLoginAttempts', 5])
      assert.deepEqual(refusal.reason, { code, facts })
    }
  })
})
