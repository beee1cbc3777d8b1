import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { createCarriedFlows } from './carried.ts'

suite('carried flows', () => {
  const keys = { dataKey: Buffer.alloc(32, 1) }
  const carried = createCarriedFlows({ keys, random: seededRandom(1) })
  const browser = { cookie: 'ann' }
  const flow = (returnTo: string) => ({
    ...{ secret: 's', step: 'password', data: { left: 2 }, returnTo, language: 'de' },
    expiresAt: 1000,
  })
  const open = (sealed: string, purpose = 'page_sign_in', from = browser) =>
    carried.open(sealed, purpose, from)

  for (const length of [1, 900, 950, 1000, 1024, 1025, 1100, 6000]) {
    test(`open as they were sealed, with a return address of ${length} characters`, () => {
      const long = flow('/'.padEnd(length, 'a'))
      const sealed = carried.seal({ ...long, other: 'left out' } as never, 'page_sign_in', browser)
      assert.deepEqual(open(sealed), long)
    })
  }

  test('open for their purpose, browser and key alone, and unchanged', () => {
    const sealed = carried.seal(flow('/'), 'page_sign_in', browser)
    assert.equal(open(sealed, 'page_reset'), null)
    assert.equal(open(sealed, 'page_sign_in', { cookie: 'bob' }), null)
    assert.equal(open(''), null)
    assert.equal(open(`${sealed.slice(0, 30)}A${sealed.slice(31)}`), null)
    const other = createCarriedFlows({
      keys: { dataKey: Buffer.alloc(32, 2) },
      random: seededRandom(1),
    })
    assert.equal(other.open(sealed, 'page_sign_in', browser), null)
  })

  test('stay short: what exceeds 1024 bytes is deflated', () => {
    const plain = JSON.stringify(flow('')).length
    const sizeOf = (length: number) =>
      carried.seal(flow('a'.repeat(length)), 'page_sign_in', browser).length
    assert.ok(sizeOf(1024 - plain) > 1365)
    assert.ok(sizeOf(1025 - plain) < 300)
    assert.ok(sizeOf(6000) < 300)
  })
})
