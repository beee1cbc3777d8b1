import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateDocs, readDoc } from '../tools/docs.ts'
import { clientTypes, readTypes } from '../tools/typed-client/generate.ts'

suite('generated documents', async () => {
  const generated = await generateDocs()

  for (const [name, text] of Object.entries(generated)) {
    test(`docs/${name} is what the code says (npm run docs)`, () => {
      assert.equal(readDoc(name), text)
    })
  }

  test('test/client/openapi.d.ts is what openapi-typescript makes of it (npm run docs)', async () => {
    assert.equal(readTypes(), await clientTypes(generated['openapi.json'] ?? ''))
  })

  test('docs/openapi.json is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(generated['openapi.json'] ?? ''))
    assert.deepEqual(result.errors ?? [], [])
    assert.equal(result.valid, true)
  })

  test('every operation names its access, its success and its errors', () => {
    const { paths } = JSON.parse(generated['openapi.json'] ?? '')
    for (const [path, operations] of Object.entries(paths as Record<string, object>)) {
      for (const [method, operation] of Object.entries(operations)) {
        const where = `${method} ${path}`
        const { security, responses, summary } = operation
        assert.ok(Array.isArray(security), `${where}: security`)
        assert.ok(summary, `${where}: summary`)
        assert.ok(
          Object.keys(responses).some((status) => /^[23]/.test(status)),
          `${where}: success`,
        )
        assert.ok('500' in responses && '503' in responses, `${where}: errors`)
      }
    }
  })
})
