import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTrustedPeers } from './client-address.ts'

suite('the addresses of proxies', () => {
  const isTrusted = createTrustedPeers(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
  const cases: Readonly<Record<string, boolean>> = {
    '127.0.0.1': true,
    '::ffff:127.0.0.1': true,
    '127.0.0.2': false,
    '10.255.0.1': true,
    '11.0.0.1': false,
    'fd12::1': true,
    'fd12::1%eth0': true,
    'fe80::1': false,
    '10.0.0.1:443': false,
    ' 10.0.0.1': false,
    '0x7f.1': false,
    '010.0.0.1': false,
    unknown: false,
    '': false,
  }

  test('are those of the ranges, whenever they are asked for', () => {
    for (const round of [1, 2]) {
      for (const [address, expected] of Object.entries(cases)) {
        assert.equal(isTrusted(address), expected, `${address}, ${round}`)
      }
    }
  })

  test('without a range there are none', () => {
    assert.equal(createTrustedPeers([])('127.0.0.1'), false)
  })
})
