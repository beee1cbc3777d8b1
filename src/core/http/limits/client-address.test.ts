import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { canonicalAddress, throttledAddress } from '../../addresses/address.ts'

const spellings: readonly (readonly [canonical: string | null, spellings: readonly string[]])[] = [
  ['127.0.0.1', ['127.0.0.1', ' 127.0.0.1 ', '127.0.0.1:80', '::ffff:127.0.0.1', '::FFFF:7f00:1']],
  ['127.0.0.1', ['0:0:0:0:0:ffff:7f00:1', '[::ffff:127.0.0.1]:443', '0::ffff:127.0.0.1']],
  ['255.255.255.255', ['255.255.255.255', '::ffff:ffff:ffff']],
  ['::1', ['::1', '0:0:0:0:0:0:0:1', '[::1]', '[::1]:8080', '0::0001']],
  ['::', ['::', '0::0', '[::]', '0:0:0:0:0:0:0:0']],
  ['2001:db8::a', ['2001:DB8::A', '2001:0db8:0000:0000:0000:0000:0000:000a', '2001:db8::a%eth0']],
  ['fe80::1', ['fe80::1%1', 'FE80::1%en0', '[fe80::1%1]:80']],
  ['2001:db8::', ['2001:db8::', '2001:db8:0::0']],
  [null, ['', ' ', 'a', 'unknown', '_hidden', 'localhost', '1.2.3', '1.2.3.4.5', '256.1.1.1']],
  [null, ['01.2.3.4', '0x7f.1.1.1', '2130706433', '1.2.3.4/8', '1.2.3.4, 5.6.7.8', '1.2.3.4:a']],
  [
    null,
    [':::', '1::2::3', '12345::', '2001:db8::g', '[', '[]', '[::1', '::1]', '[::1]x', '%eth0'],
  ],
  [null, ['1.2.3.4\0', '１.2.3.4', '::ffff:256.1.1.1', '-1.2.3.4', 'a'.repeat(100_000)]],
]

suite('one spelling per address', () => {
  for (const [canonical, variants] of spellings) {
    test(`T22: ${canonical ?? 'no address'}: ${JSON.stringify(variants).slice(0, 70)}`, () => {
      for (const text of variants) {
        assert.equal(canonicalAddress(text), canonical, JSON.stringify(text.slice(0, 60)))
      }
    })
  }

  test('T22: the canonical form of an address is an address and its own canonical form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = canonicalAddress(text)
        assert.ok(address !== null && isIP(address) !== 0)
        assert.equal(canonicalAddress(address), address)
        assert.equal(canonicalAddress(text.toUpperCase()), address)
      }),
    )
  })

  test('T21: no text of a proxy makes it throw', () => {
    const pieces = fc.constantFrom(...'0123456789abcdef:.[]%/, \0', '::', 'ffff', '1.2.3.4')
    const texts = fc.oneof(fc.string(), fc.string({ unit: pieces }))
    fc.assert(
      fc.property(texts, (text) => {
        const address = canonicalAddress(text)
        if (address === null) return
        assert.notEqual(isIP(address), 0, address)
        assert.ok(throttledAddress(address).length > 0)
      }),
      { numRuns: 2000 },
    )
  })
})

suite('whom a limit counts', () => {
  const counted: readonly (readonly [string, string])[] = [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
  ]

  for (const [address, key] of counted) {
    test(`T22: ${address} counts for ${key}`, () => {
      assert.equal(throttledAddress(address), key)
    })
  }

  test('T22: two IPv6 addresses count together when their first 64 bits are the same, and only then', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    const groups = fc.array(group, { minLength: 8, maxLength: 8 })
    const key = (parts: readonly number[]) => {
      const address = canonicalAddress(parts.map((part) => part.toString(16)).join(':'))
      assert.ok(address !== null)
      return throttledAddress(address)
    }
    fc.assert(
      fc.property(groups, groups, ([a = 0, ...left], right) => {
        const one = [a | 1, ...left] // never an IPv4 address inside IPv6
        assert.equal(key(one), key([...one.slice(0, 4), ...right.slice(4)]))
        const elsewhere = [...one.slice(0, 3), (one[3] ?? 0) ^ 1, ...one.slice(4)]
        assert.notEqual(key(one), key(elsewhere))
      }),
    )
  })
})
