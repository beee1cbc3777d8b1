import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { missed } from './record.ts'

suite('what a run of all tests has met of the document', () => {
  const responses = { 200: {}, 404: {}, default: {} }
  const document = { paths: { '/things/{id}': { get: { responses } } } }
  const all = ['GET /things/{id} 200', 'GET /things/{id} 404', 'GET /things/{id} default']
  const [first = '', ...others] = all

  test('by several processes together: nothing is missed', () => {
    assert.deepEqual(missed([others, [first, 'GET /of/another/module 200']], document), [])
  })

  test('a documented answer that never came', () => {
    assert.deepEqual(missed([others], document), [first])
  })
})
