import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  confirmationPurposes,
  endsWithLogins,
  isOfAccount,
  lifetimeOf,
  longestCodeSeconds,
  replacesOthers,
} from './purposes.ts'

const seconds = {
  ...{ deletionSeconds: 1, emailChangeSeconds: 2, invitationSeconds: 3, resetSeconds: 4 },
  ...{ signInSeconds: 5, verificationSeconds: 6 },
}

suite('purposes of confirmations', () => {
  const rows = {
    // lifetime, without the modules, of an account, replaces others, ends with logins
    sign_up: [6, 0, false, false, true],
    verification: [6, 0, true, true, true],
    email_change: [2, 0, true, true, true],
    email_undo: [604_800, 604_800, true, false, false],
    deletion_undo: [1, 0, true, true, false],
    reset: [4, 0, false, false, true],
    sign_in: [5, 0, false, false, true],
    invitation: [3, 0, false, false, true],
    proof: [5, 600, true, true, true],
  }
  for (const purpose of confirmationPurposes) {
    test(`${purpose}: its lifetime, and what ends it`, () => {
      assert.deepEqual(
        [
          lifetimeOf({ confirmations: seconds }, purpose),
          lifetimeOf({ confirmations: {} }, purpose),
          isOfAccount(purpose),
          replacesOthers(purpose),
          endsWithLogins(purpose),
        ],
        rows[purpose],
      )
    })
  }

  test('the longest code lives as long as the longest purpose with a code', () => {
    assert.equal(longestCodeSeconds({ confirmations: {} }), 600)
    assert.equal(longestCodeSeconds({ confirmations: seconds }), 6)
    for (const name of [
      'emailChangeSeconds',
      'resetSeconds',
      'signInSeconds',
      'verificationSeconds',
    ]) {
      assert.equal(longestCodeSeconds({ confirmations: { ...seconds, [name]: 7 } }), 7, name)
    }
    for (const name of ['invitationSeconds', 'deletionSeconds']) {
      assert.equal(longestCodeSeconds({ confirmations: { ...seconds, [name]: 7 } }), 6, name)
    }
  })
})
