import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { callerName, proofPurpose } from './proof-purpose.ts'

suite('what a proof is for', () => {
  const rows: [object, string][] = [
    [{ scheme: 'session', sessionId: 's1' }, 'user:7 session s1'],
    [{ scheme: 'bearer', claims: { jti: 't1' } }, 'user:7 token t1'],
    [{ scheme: 'basic' }, 'user:7 basic'],
  ]
  for (const [credential, name] of rows) {
    test(`${name}: the caller and the change`, () => {
      const principal = { subject: 'user:7', credential }
      const request = { principal } as unknown as FastifyRequest // what it reads
      assert.equal(callerName(request), name)
      assert.equal(proofPurpose(request, 'email'), `proof of email by ${name}`)
    })
  }
})
