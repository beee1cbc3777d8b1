import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseListenAddress } from './listen-address.ts'

suite('an address to listen on', () => {
  const right: readonly [string, string, number][] = [
    ['127.0.0.1:9464', '127.0.0.1', 9464],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['localhost:9464', 'localhost', 9464],
    ['[::1]:9464', '::1', 9464],
    ['[::]:65535', '::', 65_535],
  ]
  for (const [text, host, port] of right) {
    test(text, () => assert.deepEqual(parseListenAddress(text), { host, port }))
  }

  const message = 'must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464'
  const wrong = [
    '',
    '9464',
    '127.0.0.1:',
    '127.0.0.1:65536',
    '256.0.0.1:1',
    '::1:9464',
    '[::1]',
    'a.example:1',
  ]
  for (const text of wrong) {
    test(`not ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseListenAddress(text), { message })
    })
  }
})
