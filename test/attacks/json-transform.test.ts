import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { testApp } from '../app.ts'
import { vectors, vectorsTest } from '../vectors.ts'

interface Transform {
  readonly name: string
  readonly base64: string
}

const file = 'json-test-suite/transform-cases.json'

/** Names that come twice, numbers beyond doubles, lone surrogates. */
suite('JSONTestSuite: what parsers read in different ways', async () => {
  const app = await testApp()
  const admin = await app.bearer(app.admin)
  const headers = { ...admin, 'content-type': 'application/json' }

  vectorsTest(file, 'is read in one way by every version, and makes nothing', async () => {
    const { cases } = vectors<{ readonly cases: readonly Transform[] }>(file) ?? { cases: [] }
    assert.equal(cases.length, 22)
    const before = await app.rows()
    for (const { name, base64 } of cases) {
      const body = Buffer.from(base64, 'base64')
      const [first, second] = await Promise.all(
        ['/users', '/api/v2/users'].map((path) => app.call('POST', path, { headers, body })),
      )
      assert.equal(first?.status, 400, name)
      assert.deepEqual([second?.status, second?.body.details], [400, first?.body.details], name)
    }
    assert.deepEqual(await app.rows(), before)
  })
})
