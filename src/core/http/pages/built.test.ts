import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { warningOfPages } from './built.ts'

suite('pages that were not built', () => {
  test('are told, with what builds them', () => {
    const nothing = new URL('nothing-is-here/', import.meta.url)
    assert.match(warningOfPages(nothing) ?? '', /node tools\/build-web\.ts/)
  })

  test('no warning where they are', () => assert.equal(warningOfPages(), null))
})
