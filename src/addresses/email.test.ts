import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseEmail } from './email.ts'

suite('mail addresses', () => {
  const same: readonly [string, string, string][] = [
    ['ann@example.org', 'ann@example.org', 'ann@example.org'],
    [' Ann@Example.ORG ', 'Ann@example.org', 'ann@example.org'],
    ['ann@BÜCHER.example', 'ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    ['ann+tag@example.org', 'ann+tag@example.org', 'ann+tag@example.org'],
    ['ann@ｅｘａｍｐｌｅ.org', 'ann@example.org', 'ann@example.org'],
  ]
  for (const [typed, address, key] of same) {
    test(`${JSON.stringify(typed)} is ${address}`, () => {
      assert.deepEqual(parseEmail(typed), { address, key })
    })
  }

  const none = [
    '',
    'ann',
    '@example.org',
    'ann@',
    'mıke@example.org',
    '\u212Aim@example.org',
    'a@x.org,b@y.org',
    'g: b@y.org;',
    'ann@x.org\r\nRCPT TO:<b@y.org>',
    '"ann b"@example.org',
    'ann@example.org.',
    'ann@[127.0.0.1]',
    'ann@localhost',
    'ann b@example.org',
    '<ann@example.org>',
    `${'a'.repeat(65)}@example.org`,
    `ann@${'a.'.repeat(130)}org`,
  ]
  for (const typed of none) {
    test(`${JSON.stringify(typed)} is no address`, () => assert.equal(parseEmail(typed), null))
  }
})
