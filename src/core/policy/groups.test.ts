import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupOf } from './groups.ts'

test('a route belongs to the group of its path prefix', () => {
  const prefixOf = (path: string) => groupOf(path)?.prefix
  assert.equal(prefixOf('/api/admin'), '/api/admin')
  assert.equal(prefixOf('/api/admin/'), '/api/admin')
  assert.equal(prefixOf('/api/admin/accounts/:username'), '/api/admin')
  assert.equal(prefixOf('/api/user/greeting'), '/api/user')
  assert.equal(prefixOf('/api/editor/greeting'), '/api/editor')
  assert.equal(prefixOf('/api/public/captcha'), '/api/public')
})

test('a path that only begins with the same letters belongs to no group', () => {
  for (const path of ['/api/administration', '/api/users', '/api', '/x/api/admin', '/', '*']) {
    assert.equal(groupOf(path), undefined, path)
  }
})
