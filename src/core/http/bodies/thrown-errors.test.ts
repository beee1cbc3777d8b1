import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { asApiError } from './thrown-errors.ts'

suite('the error of a request whose client is gone', () => {
  /** A request whose connection has closed, as Node leaves it. */
  function closed(complete: boolean, error: Error): FastifyRequest {
    const raw = new Readable({ read() {} }).on('error', () => {})
    raw.destroy(error)
    return { raw: Object.assign(raw, { complete }), routeOptions: {} } as never // all that is read
  }
  const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })

  test('is no failure of the service, in the middle of a body and behind one that was not read', () => {
    for (const complete of [false, true]) {
      const { row, reason } = asApiError(aborted, closed(complete, aborted))
      assert.deepEqual([row, reason.code], ['badRequest', 'client_gone'])
    }
  })

  test('is a failure of the service, where another error was thrown behind a whole body', () => {
    const { row } = asApiError(new Error('a fault of ours'), closed(true, aborted))
    assert.equal(row, 'internal')
  })
})
