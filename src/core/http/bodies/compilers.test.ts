import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createCompilers } from './compilers.ts'

const { buildSerializer, buildValidator } = createCompilers().factory
const schema = () => ({ type: 'object', properties: { name: { type: 'string' } } })
const other = { type: 'object', properties: { name: { type: 'integer' } } }

suite('a schema', () => {
  const writing = (rounding: 'ceil' | 'floor', url: string, of: object) =>
    buildSerializer({}, { rounding })({ method: 'GET', url, httpStatus: '200', schema: of })
  const reading = (coerceTypes: boolean, url: string, of: object) =>
    buildValidator(
      {},
      { customOptions: { coerceTypes } },
    )({
      method: 'POST',
      url,
      httpPart: 'body',
      schema: of,
    })

  test('that two routes have is compiled once', () => {
    assert.equal(writing('ceil', '/a', schema()), writing('ceil', '/b', schema()))
    assert.equal(reading(true, '/a', schema()), reading(true, '/b', schema()))
  })

  test('that is another, or under other options, is compiled for itself', () => {
    assert.notEqual(writing('ceil', '/a', schema()), writing('ceil', '/a', other))
    assert.notEqual(writing('ceil', '/a', schema()), writing('floor', '/a', schema()))
    assert.notEqual(reading(true, '/a', schema()), reading(true, '/a', other))
    assert.notEqual(reading(true, '/a', schema()), reading(false, '/a', schema()))
  })

  test('is compiled when it is needed, or with all others', async () => {
    const compilers = createCompilers()
    const build = compilers.factory.buildValidator({}, { customOptions: { allErrors: true } })
    const route = { method: 'PUT', url: '/late', httpPart: 'body' } as const
    let reads = 0
    const watched = {
      type: 'object',
      get required() {
        reads += 1
        return ['late']
      },
    }
    const validate = build({ ...route, schema: watched }) as ReturnType<typeof reading> & {
      errors?: readonly object[] | null
    }
    const readsOfText = reads
    assert.equal(validate({ late: 1 }), true)
    const readsOfUse = reads
    assert.ok(readsOfUse > readsOfText, 'the first use compiles')
    assert.equal(validate({}), false)
    assert.equal(validate.errors?.length, 1)
    assert.equal(validate({ late: 2 }), true)
    assert.equal(validate.errors, null)
    await compilers.compileAll()
    assert.equal(reads, readsOfUse, 'it is compiled once')
  })

  test('that is not one is found with all others, by its route', async () => {
    const { factory, compileAll } = createCompilers()
    const wrong = { type: 'no such type' }
    const validate = factory.buildValidator(
      {},
      { customOptions: {} },
    )({
      method: 'PUT',
      url: '/wrong',
      httpPart: 'body',
      schema: wrong,
    })
    await assert.rejects(compileAll(), { message: 'a schema of PUT /wrong cannot be compiled' })
    assert.throws(() => validate({}), /JSONType/)
    await assert.rejects(compileAll(), { message: 'a schema of PUT /wrong cannot be compiled' })
    const written = createCompilers()
    const write = { method: 'GET', url: '/written', httpStatus: '200', schema: wrong }
    written.factory.buildSerializer({}, {})(write)
    await assert.rejects(written.compileAll(), {
      message: 'a schema of GET /written cannot be compiled',
    })
  })
})
