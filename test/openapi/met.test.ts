import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { missed } from '../../tools/test-openapi.ts'
import { matches } from './record.ts'

suite('what a run of all tests has met of the document', () => {
  const responses = { 200: {}, 404: {}, default: {} }
  const document = { paths: { '/things/{id}': { get: { responses } } } }
  const all = ['GET /things/{id} 200', 'GET /things/{id} 404', 'GET /things/{id} default']
  const none = { documentMistakes: [], neverMet: [] }
  const [first = '', ...others] = all

  test('by several processes together: nothing is missed', () => {
    const records = [
      { met: others, known: [] },
      { met: [first, 'GET /of/another/module 200'], known: [] },
    ]
    assert.deepEqual(missed(records, document, none), [])
  })

  test('a documented answer that never came', () => {
    const records = [{ met: others, known: [] }]
    const expected = [`${first} is documented, and no test meets it`]
    assert.deepEqual(missed(records, document, none), expected)
    assert.deepEqual(missed(records, document, { ...none, neverMet: [first] }), [])
  })

  test('an exception that is none any more, of both lists', () => {
    const records = [{ met: all, known: ['GET * 500: *'] }]
    const exceptions = {
      neverMet: [first, 'GET /gone 404'],
      documentMistakes: ['GET * 500: *', 'POST * 500: *'],
    }
    assert.deepEqual(missed(records, document, exceptions), [
      `${first} is met by a test: remove it from neverMet`,
      'GET /gone 404 is not documented: remove it from neverMet',
      'no test meets "POST * 500: *": remove it from documentMistakes',
    ])
  })

  test('an asterisk of an exception is any text, and nothing else is', () => {
    assert.ok(matches('GET /things/{id} *: header * (x)', 'GET /things/{id} 200: header etag (x)'))
    for (const other of [
      'GET /things/{id} 200: header etag (y)',
      'a GET /things/{id} 200: header etag (x)',
      'GET /things/7 200: header etag x',
    ]) {
      assert.ok(!matches('GET /things/{id} *: header * (x)', other), other)
    }
  })
})
