import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { navigation } from '../../../test/forward.ts'
import { ApiError } from '../../core/errors.ts'
import { deniedPage } from './denied-page.ts'

const page = deniedPage('https://id.example.org')
const reason = { code: 'forward_no_rule', facts: { host: 'wiki.example.org' } } as const
const denied = new ApiError('accessDenied', { reason })
const request = (more: object = {}) =>
  ({ id: 'r1', headers: navigation, principal: null, ...more }) as unknown as FastifyRequest

suite('the page of a request that is denied', () => {
  test('names the application, and the person if known; its files are of another host', () => {
    const view = { host: 'wiki.example.org', requestId: 'r1' }
    const signOut = 'https://id.example.org/signout'
    const expected = (username: string | null) => ({
      ...{ name: 'forward-denied', view: { ...view, username, signOut } },
      options: { isElsewhere: true },
    })
    assert.deepEqual(page(denied, request()), expected(null))
    assert.deepEqual(page(denied, request({ principal: { username: 'ann' } })), expected('ann'))
  })

  test('is for a navigation alone, and a denial at a host', () => {
    assert.equal(page(denied, request({ headers: {} })), null)
    assert.equal(page(new ApiError('badRequest', { reason }), request()), null)
    const other = new ApiError('accessDenied', { reason: { code: 'forward_untrusted_peer' } })
    assert.equal(page(other, request()), null)
  })
})
