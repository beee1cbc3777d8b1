import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAdministrator, isUsable, splitRoles } from './account.ts'

const usable = { active: true, locked: false, deletionAt: null, isService: false }
const unusable = [{ active: false }, { locked: true }, { deletionAt: 0 }, { deletionAt: 5 }]

test('an account is usable that is active, not locked and waits for no deletion', () => {
  assert.equal(isUsable(usable), true)
  assert.equal(isUsable({ active: true, locked: false }), true)
  for (const more of unusable) assert.equal(isUsable({ ...usable, ...more }), false)
})

test('a usable person with the role administers; a program never', () => {
  const account = { ...usable, roles: ['USER', 'ADMIN'] as const }
  assert.equal(isAdministrator(account), true)
  assert.equal(isAdministrator({ ...account, roles: ['USER'] }), false)
  assert.equal(isAdministrator({ ...account, isService: true }), false)
  for (const more of unusable) assert.equal(isAdministrator({ ...account, ...more }), false)
})

test('stored names of roles are split and sorted; what is no name is left out', () => {
  assert.deepEqual(splitRoles(null), [])
  assert.deepEqual(splitRoles(''), [])
  assert.deepEqual(splitRoles('USER,ADMIN'), splitRoles('ADMIN,USER'))
  assert.deepEqual(splitRoles('USER,no role!'), ['USER'])
})
