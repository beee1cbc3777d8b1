// A database makes a difference: a success is settled when its transaction commits.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ownDatabase } from '../../../test/own-database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { eventType } from '../../core/events/types.ts'
import { type Attempt, type AttemptOptions, runAttempt, type UsedUp } from './attempt.ts'

const wrong = new ApiError('invalidCredentials', { reason: { code: 'x-wrong' } })
const away = new ApiError('accessDenied', { reason: { code: 'x-away' } })
const guessed = eventType<{ user_id: number | null }>('guessed', {
  ...{ groups: [], description: '', fields: { user_id: '' }, words: { en: '', de: '' } },
})

suite('an attempt', async () => {
  const { db } = await ownDatabase()

  /** How the attempt was settled, in order, and what was emitted. */
  async function settled(
    work: (attempt: Attempt, log: unknown[]) => Promise<unknown>,
    more: Partial<AttemptOptions> = {},
  ): Promise<unknown[]> {
    const log: unknown[] = []
    const reservation: AttemptOptions['reservation'] = {
      takenAt: 7,
      async fail(also) {
        log.push('fail')
        await also?.(db)
      },
      async succeed(trx) {
        log.push(trx.isTransaction ? 'succeed' : 'succeed outside a transaction')
      },
      async cancel() {
        log.push('cancel')
      },
    }
    const emit = ({ name }: { name: string }, payload: object, typed: unknown) =>
      void log.push([name, payload, typed])
    const events = { emit } as unknown as AttemptOptions['events']
    const options = { reservation, events, ...more }
    const result = runAttempt({ db }, options, (attempt) => work(attempt, log))
    await result.then(
      (value) => log.push(value),
      (error) => log.push(error),
    )
    return log
  }

  test('succeeds with its work', async () => {
    const read: unknown[] = []
    const work = async ({ takenAt, usedUp }: Attempt) => void read.push(takenAt, usedUp)
    assert.deepEqual(await settled(work), ['succeed', undefined])
    assert.deepEqual(read, [7, null])
  })

  test('succeeds once, in the transaction of its work', async () => {
    const account = { failedLogins: 1, lockedUntil: null }
    const succeeded: unknown[] = []
    const work = async (attempt: Attempt) => {
      await transact(db, [], (trx) => attempt.succeed(trx, account))
      return 'done'
    }
    const note = async (_: unknown, found: unknown) => void succeeded.push(found)
    assert.deepEqual(await settled(work, { succeeded: note }), ['succeed', 'done'])
    assert.deepEqual(succeeded, [account])
    const late = async (attempt: Attempt) => {
      await transact(db, [], (trx) => attempt.succeed(trx))
      throw wrong
    }
    assert.deepEqual(await settled(late), ['succeed', wrong], 'an error after the commit')
  })

  test('fails if the transaction of its success is rolled back', async () => {
    const work = (attempt: Attempt) =>
      transact(db, [], async (trx) => {
        await attempt.succeed(trx)
        throw wrong
      })
    assert.deepEqual(await settled(work), ['succeed', 'fail', wrong])
  })

  test('fails by wrong credentials, and is cancelled by any other error', async () => {
    const throws = (error: unknown) => async () => Promise.reject(error)
    assert.deepEqual(await settled(throws(wrong)), ['fail', wrong])
    assert.deepEqual(await settled(throws(away)), ['cancel', away])
    const other = Object.assign(new Error('away'), { row: 'invalidCredentials' })
    assert.deepEqual(await settled(throws(other)), ['cancel', other])
    const isFailure = (error: unknown) => error === away
    assert.deepEqual(await settled(throws(away), { isFailure }), ['fail', away])
    assert.deepEqual(await settled(throws(wrong), { isFailure }), ['cancel', wrong])
  })

  test('records a failure as the work says, and waits before the refusal', async () => {
    const failed = async () => void order.push('also')
    const order: unknown[] = []
    const work = async (attempt: Attempt, log: unknown[]) => {
      attempt.onFailure({ event: guessed })
      attempt.onFailure({ userId: 3, wait: async () => void log.push('wait') })
      throw wrong
    }
    const log = await settled(work, { typed: 'ann', failed })
    assert.deepEqual(log, ['fail', ['guessed', { user_id: 3 }, { typed: 'ann' }], 'wait', wrong])
    assert.deepEqual(order, ['also'])
    const unknown = async (attempt: Attempt) => {
      attempt.onFailure({ event: guessed })
      throw wrong
    }
    const emitted = ['guessed', { user_id: null }, { typed: null }]
    assert.deepEqual(await settled(unknown), ['fail', emitted, wrong])
  })

  test('is cancelled by its work, with a result or an error', async () => {
    const work = async (attempt: Attempt) => {
      await attempt.cancel()
      return 'next step'
    }
    assert.deepEqual(await settled(work), ['cancel', 'next step'])
    const refused = async (attempt: Attempt) => {
      await attempt.cancel()
      throw wrong
    }
    assert.deepEqual(await settled(refused), ['cancel', wrong])
  })

  test('that can only fail cannot succeed', async () => {
    const usedUp: UsedUp = { used: 5, attempts: 5, window_seconds: 60, frees_at: 9 }
    let read: unknown
    const work = async (attempt: Attempt) => {
      read = attempt.usedUp
    }
    const message = 'an attempt has succeeded that could only fail'
    assert.deepEqual(await settled(work, { usedUp }), ['cancel', new Error(message)])
    assert.equal(read, usedUp)
  })
})
