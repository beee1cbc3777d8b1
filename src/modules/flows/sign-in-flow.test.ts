import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Account } from '../authentication/account.ts'
import type { Amr } from '../authentication/evidence.ts'
import { evidenceOf, passTowards, provenOf } from './sign-in-flow.ts'

const account = (secondFactor: boolean) =>
  ({ userId: 1, secondFactor, refreshVersion: 7 }) as unknown as Account // what it reads

suite('steps of a sign-in', () => {
  const passed = { stage: 'login' }
  const towards = '/signin/application?two_factor=1&return_to=/'
  const rows: [string, object | string, boolean, Amr[], object | string][] = [
    [towards, passed, true, ['pwd'], 'second_factor'],
    [towards, passed, false, ['pwd'], 'enrolment'],
    [towards, passed, true, ['pwd', 'mfa'], passed],
    ['/', passed, true, ['pwd'], passed],
    ['/', passed, false, ['pwd'], passed],
    [towards, 'password_change', true, ['pwd'], 'password_change'],
    ['/', 'password_change', true, ['pwd'], 'password_change'],
  ]
  for (const [returnTo, given, hasFactor, amr, next] of rows) {
    test(`${JSON.stringify(given)} of ${amr} towards ${returnTo}, ${hasFactor}`, () => {
      const evidence = { account: account(hasFactor), amr }
      assert.equal(passTowards(returnTo, given as never, evidence), next)
    })
  }

  test('keep the evidence with the version of the account', () => {
    const evidence = { account: account(true), amr: ['pwd'] as Amr[], authTime: 5 }
    const proven = provenOf(evidence)
    assert.deepEqual(proven, { amr: ['pwd'], authTime: 5, refreshVersion: 7 })
    assert.deepEqual(evidenceOf(evidence.account, proven), evidence)
  })
})
