import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refreshEnd } from './refresh-end.ts'

const config = { refreshSeconds: 100, refreshAbsoluteSeconds: 1000, rotatesRefresh: true }

test('with rotation a refresh token ends with the last one of its login', () => {
  assert.equal(refreshEnd(config, { authTime: 5000, issuedAt: 5000 }), 5100)
  assert.equal(refreshEnd(config, { authTime: 5000, issuedAt: 5900 }), 6000)
  assert.equal(refreshEnd(config, { authTime: 5000, issuedAt: 5901 }), 6000)
  const short = { ...config, refreshAbsoluteSeconds: 1 }
  assert.equal(refreshEnd(short, { authTime: 5000, issuedAt: 5000 }), 5001)
})

test('without rotation, limit or a known time of the login it ends after its own time', () => {
  const late = { authTime: 5000, issuedAt: 9000 }
  assert.equal(refreshEnd({ ...config, rotatesRefresh: false }, late), 9100)
  assert.equal(refreshEnd({ ...config, refreshAbsoluteSeconds: 0 }, late), 9100)
  assert.equal(refreshEnd(config, { authTime: 0, issuedAt: 9000 }), 9100)
})
