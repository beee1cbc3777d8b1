// A database makes a difference: refusals are counted as rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { ApiError } from '../../core/errors.ts'
import { createTakenUsernames } from './taken-usernames.ts'

const wrong = new ApiError('invalidCredentials', { reason: { code: 'x-wrong' } })
const address = '192.0.2.99'

suite('the limits of taken usernames', async () => {
  const { db } = await ownDatabase()
  const clock = fixedClock()

  test('of taken usernames count ten refusals for a confirmation, and for an address', async () => {
    const events = { emit: () => assert.fail('no event is set') }
    const taken = createTakenUsernames({ db, clock, events })
    const exists = new ApiError('usernameExists', { reason: { code: 'x-taken' } })
    const ask = (confirmation: string, client: string, error = exists) =>
      taken
        .attempt({ confirmation, address: client }, () => Promise.reject(error))
        .catch((error: ApiError) => `${error.row} ${error.reason.code}`)
    const refused = 'tooManyRequests limit_taken_usernames'
    assert.equal(await ask('a', address, wrong), 'invalidCredentials x-wrong')
    for (let times = 0; times < 10; times += 1) {
      assert.equal(await ask('a', `192.0.2.${times}`), 'usernameExists x-taken')
    }
    assert.equal(await ask('a', '192.0.2.9'), refused)
    for (let times = 0; times < 10; times += 1) {
      assert.equal(await ask(`b${times}`, address), 'usernameExists x-taken')
    }
    assert.equal(await ask('c', address), refused)
    clock.advance(899.999)
    assert.equal(await ask('a', '192.0.2.9'), refused)
    clock.advance(0.001)
    assert.equal(await ask('a', address), 'usernameExists x-taken')
  })
})
