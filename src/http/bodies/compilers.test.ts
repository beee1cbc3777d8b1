import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compilersFactory } from './compilers.ts'

const { buildSerializer, buildValidator } = compilersFactory
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
})
