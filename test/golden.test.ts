import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateDocs, readDoc } from '../tools/docs.ts'

interface Document {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Record<string, Record<string, Operation>>
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
}

suite('generated documents', async () => {
  const generated = await generateDocs()
  const document: Document = JSON.parse(generated['openapi.json'] ?? '')
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )

  for (const [name, text] of Object.entries(generated)) {
    test(`docs/${name} is what the code says (npm run docs)`, () => {
      assert.equal(readDoc(name), text)
    })
  }

  test('docs/openapi.json is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(generated['openapi.json'] ?? ''))
    assert.deepEqual(result.errors ?? [], [])
    assert.equal(result.valid, true)
  })

  test('the paths are in the order of the tags, and the login is first', () => {
    const names = document.tags.map(({ name }) => name)
    const places = operations.map(({ tags }) => names.indexOf(tags[0] ?? ''))
    assert.deepEqual(
      places,
      places.toSorted((left, right) => left - right),
    )
    assert.deepEqual([...new Set(places)], [...names.keys()]) // each tag is known, and is used
    assert.equal(operations[0]?.path, '/login')
  })
})
