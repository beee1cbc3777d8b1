import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { hostileDomains } from '../../../test/hostile-domains.ts'
import { caseFold } from '../lib/text.ts'
import { isEmail, parseEmail } from './email.ts'

suite('mail addresses', () => {
  const same: readonly [string, string, string][] = [
    ['ann@example.org', 'ann@example.org', 'ann@example.org'],
    ['Ann@Example.ORG', 'Ann@example.org', 'ann@example.org'],
    ['ann@BÜCHER.example', 'ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    ['ann+tag@example.org', 'ann+tag@example.org', 'ann+tag@example.org'],
    ['ann@ｅｘａｍｐｌｅ.org', 'ann@example.org', 'ann@example.org'],
    ['ann@例え。テスト', 'ann@xn--r8jz45g.xn--zckzah', 'ann@xn--r8jz45g.xn--zckzah'],
    ['ann@XN--BCHER-KVA.example', 'ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
    [
      'ann@نامه\u200cای.example',
      'ann@xn--mgba3gch31f060k.example',
      'ann@xn--mgba3gch31f060k.example',
    ],
    ['ann@127.0.0.1.example', 'ann@127.0.0.1.example', 'ann@127.0.0.1.example'],
    ['ann@１.example', 'ann@1.example', 'ann@1.example'],
    ['ann@example.0xg', 'ann@example.0xg', 'ann@example.0xg'],
    [`ann@${'a.'.repeat(120)}org`, `ann@${'a.'.repeat(120)}org`, `ann@${'a.'.repeat(120)}org`],
    ['a/b?c#d%e@example.org', 'a/b?c#d%e@example.org', 'a/b?c#d%e@example.org'],
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
    `ann@${'ä'.repeat(60)}.org`,
    'ann@xn--a.org', // no A-label: it cannot be decoded
    'ann@xn--bücher.org',
    ...hostileDomains.map((domain) => `ann@${domain}`),
  ]
  for (const typed of none) {
    test(`${JSON.stringify(typed)} is no address`, () => assert.equal(parseEmail(typed), null))
  }

  test('nothing around an address is left out', () => {
    for (const around of [
      ' ',
      '\t',
      '\r\n',
      '\0',
      '\u00a0',
      '\u2028',
      '\u3000',
      '\ufeff',
      '\u200b',
    ]) {
      for (const text of [`${around}ann@example.org`, `ann@example.org${around}`]) {
        assert.equal(parseEmail(text), null, JSON.stringify(text))
        assert.equal(isEmail(text), false, JSON.stringify(text))
      }
    }
  })

  test('no character of a domain vanishes or becomes another letter', () => {
    const changed: string[] = []
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const domain = `a${String.fromCodePoint(point)}b.org`
      const parsed = parseEmail(`u@${domain}`)
      if (parsed && folded(domainToUnicode(parsed.address.slice(2))) !== folded(domain)) {
        changed.push(point.toString(16))
      }
    }
    assert.deepEqual(changed, [])
  })

  const letters = [
    ...'abz09-.@:/?#%\\[] \t\r\n\0äß。．｡％／１０xXé',
    'xn--',
    '0x',
    '\u00ad',
    '\u200b',
    '\u200d',
  ]
  const anyDomain = fc.oneof(
    fc.string({ unit: fc.constantFrom(...letters), maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.tuple(fc.domain(), fc.constantFrom(...hostileDomains)).map((parts) => parts.join('')),
    fc.domain(),
  )

  test('an accepted domain is the typed one, letter by letter', () => {
    let accepted = 0
    fc.assert(
      fc.property(anyDomain, (domain) => {
        const parsed = parseEmail(`u@${domain}`)
        if (!parsed) return
        accepted += 1
        const ascii = parsed.address.slice(2)
        assert.match(ascii, /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?!\d+$|0x)[a-z0-9-]+$/)
        assert.equal(folded(unicode(ascii)), folded(unicode(domain)))
        assert.deepEqual(parseEmail(parsed.address), parsed)
        assert.ok(isEmail(parsed.address))
      }),
      { numRuns: 5000 },
    )
    assert.ok(accepted > 500, String(accepted))
  })

  test('an ASCII address is the same for both parsers', () => {
    const ascii = fc.string({ unit: fc.constantFrom(...'aZ0-.@:/?#%x "'), maxLength: 30 })
    fc.assert(
      fc.property(ascii, (domain) => {
        const typed = `u@${domain}`
        assert.equal(
          parseEmail(typed)?.address ?? null,
          isEmail(typed) ? typed.toLowerCase() : null,
        )
      }),
      { numRuns: 5000 },
    )
  })
})

/** An oracle apart from UTS 46: compatibility forms and case, as for usernames. */
function folded(text: string): string {
  return caseFold(text.normalize('NFKD')).normalize('NFKC').replace(/[。｡]/g, '.')
}

/** The A-labels of a domain, decoded. */
function unicode(domain: string): string {
  return domain
    .split('.')
    .map((label) => (/^xn--/i.test(label) ? domainToUnicode(label) : label))
    .join('.')
}
