import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ulid } from './ulid.ts'

suite('a ULID', () => {
  const random = (from: number) => ({
    bytes: (length: number) => Uint8Array.from({ length }, (_, at) => from + at),
  })

  for (const [at, from, id] of [
    [0, 0, '00000000000123456789ABCDEF'],
    [1_469_918_176_385, 16, '01ARYZ6S41GHJKMNPQRSTVWXYZ'], // the time of the specification
    [2 ** 48 - 1, 32, '7ZZZZZZZZZ0123456789ABCDEF'],
    [31, 240, '000000000ZGHJKMNPQRSTVWXYZ'],
    [32, 0, '00000000100123456789ABCDEF'],
  ] as const) {
    test(`of ${at}`, () => assert.equal(ulid(at, random(from)), id))
  }
})
