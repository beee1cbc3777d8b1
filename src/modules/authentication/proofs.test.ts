import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canBeSent, proofsOf } from './proofs.ts'

test('a change asks for the password and the factor; without a password for what stands in for it', () => {
  const asked = (hasPassword: boolean, hasFactor: boolean, hasProvider: boolean) =>
    proofsOf({ hasPassword, hasFactor, hasProvider }).toSorted()
  assert.deepEqual(asked(true, false, false), ['password'])
  assert.deepEqual(asked(true, false, true), ['password'])
  assert.deepEqual(asked(true, true, false), ['factor', 'password'])
  assert.deepEqual(asked(false, false, true), ['provider'])
  assert.deepEqual(asked(false, true, true), ['factor', 'provider'])
  assert.deepEqual(asked(false, false, false), ['email'])
  assert.deepEqual(asked(false, true, false), ['email', 'factor'])
})

test('a request can bring the password and the factor; the others need the page', () => {
  const kinds = ['password', 'factor', 'provider', 'email'] as const
  assert.deepEqual(kinds.map(canBeSent), [true, true, false, false])
})
