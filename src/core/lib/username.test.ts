import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { caseFold, codePointLength } from './text.ts'
import { canonicalUsername } from './username.ts'

/** Spellings, and the one name that they stand for; null: no account can have it. */
const spellings: readonly (readonly [canonical: string | null, spellings: readonly string[]])[] = [
  [
    'alice',
    ['alice', 'ALICE', 'Alice', ' alice', 'alice ', '\u3000alice\u00a0', 'ａｌｉｃｅ', '𝐚𝐥𝐢𝐜𝐞'],
  ],
  ['kate', ['kate', 'KATE', '\u212aate', 'ⓚate', 'ᴷate']],
  ['josé', ['josé', 'jose\u0301', 'JOSÉ', 'JOSE\u0301']],
  ['fish', ['ﬁsh', 'ﬁſh', 'FISH']],
  ['strasse', ['straße', 'STRASSE', 'Strasse', 'STRAẞE', 'straẞe']],
  ['σίσυφοσ', ['σίσυφος', 'ΣΊΣΥΦΟΣ', 'Σίσυφος']],
  ['åse', ['åse', 'Åse', '\u212bse', 'A\u030ase']],
  ['ılgaz', ['ılgaz']], // the dotless i is a letter of its own
  ['ilgaz', ['ilgaz', 'ILGAZ']],
  ['a b', ['a b', 'A\u00a0B', 'a\u2003b']],
  ['\u{1f600}', ['\u{1f600}', ' \u{1f600} ']],
  ['__proto__', ['__proto__', '__PROTO__']],
  ['x'.repeat(64), ['x'.repeat(64), 'X'.repeat(64)]],
  ['\u{1f600}'.repeat(64), ['\u{1f600}'.repeat(64)]],
  [null, ['', ' ', '\u3000', '\u00ad']],
  [null, ['alice\0', 'al\0ice', '\talice', 'alice\n', 'ali\x7fce', 'ali\u0085ce', '\x1b[31m']],
  [
    null,
    ['a\u200blice', 'alice\u200d', '\ufeffalice', 'a\u2060lice', 'a\u00adlice', '\u180ealice'],
  ],
  [null, ['\u202ealice', 'alice\u200f', 'a\u2066b\u2069', 'a\u2028b', 'a\u2029b']],
  [null, ['a\ud800', '\udc00a', 'a\ud800b']],
  [null, ['a:b', ':', 'alice:', 'a\uff1ab', 'a\ufe55b', 'a\ufe13b']],
  [null, ['\ue000', '\u{e0041}', '\u{10ffff}', '\u0378']],
  [null, ['x'.repeat(65), '\u{1f600}'.repeat(65), 'ﷺ'.repeat(20), 'ß'.repeat(33), 'x'.repeat(1e6)]],
]

// As fast-check's own `binary`, which is drawn from a list of a million.
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))

suite('the canonical form of a username', () => {
  for (const [canonical, variants] of spellings) {
    const shown = canonical === null ? 'no name' : JSON.stringify(canonical.slice(0, 20))
    test(`T23: ${variants.length} spellings are ${shown}: ${JSON.stringify(variants).slice(0, 60)}`, () => {
      for (const text of variants) {
        assert.equal(canonicalUsername(text), canonical, JSON.stringify(text.slice(0, 80)))
      }
    })
  }

  const anyText = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 80 }),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.string({
      unit: fc.constantFrom(...'aAiIıİſßẞKkﬁΣςΐΰᾳᾼ \u0301\u0307\u0345:'),
      maxLength: 12,
    }),
  )

  test('T23: every code point is taken or refused, and a name that is taken stays as it is', () => {
    const unstable: string[] = []
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const name = canonicalUsername(`a${String.fromCodePoint(point)}`)
      if (name !== null && canonicalUsername(name) !== name) unstable.push(point.toString(16))
    }
    assert.deepEqual(unstable, [])
  })

  test('is its own canonical form, from any input', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = canonicalUsername(text)
        if (name !== null) assert.equal(canonicalUsername(name), name)
      }),
      { numRuns: 2000 },
    )
  })

  test('does not depend on the normal form or the spaces around it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = canonicalUsername(text)
        if (name === null) return
        for (const other of [text.normalize('NFC'), text.normalize('NFD'), ` ${text}\u3000`]) {
          if (other.length <= 256) assert.equal(canonicalUsername(other), name)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('does not depend on the case of the letters', () => {
    const letters = [...'abcxyzäöüéñçøåæœþðαβγωабвгяёіїєќҗ0 9.-_@']
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...letters), maxLength: 60 }), (text) => {
        const name = canonicalUsername(text)
        assert.equal(canonicalUsername(text.toUpperCase()), name)
        assert.equal(canonicalUsername(text.toLowerCase()), name)
      }),
      { numRuns: 1000 },
    )
  })

  test('has 1 to 64 code points, none of them a colon, a control or an invisible character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = canonicalUsername(text)
        if (name === null) return
        const length = codePointLength(name)
        assert.ok(length >= 1 && length <= 64)
        assert.doesNotMatch(name, /[\p{Cc}\p{Cf}\p{Cs}:]/u)
        assert.equal(name, name.trim().normalize('NFKC'))
        assert.ok(name.isWellFormed())
      }),
      { numRuns: 2000 },
    )
  })
})

suite('case folding', () => {
  test('folding what is folded changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 40 }), (text) => {
        assert.equal(caseFold(caseFold(text)), caseFold(text))
      }),
      { numRuns: 2000 },
    )
  })
})

test('lengths count code points', () => {
  const lengths: readonly (readonly [string, number])[] = [
    ['', 0],
    ['a', 1],
    ['\u{1f600}', 1],
    ['e\u0301', 2],
    ['\ud800', 1],
    ['👩\u200d👩', 3],
  ]
  for (const [text, length] of lengths) assert.equal(codePointLength(text), length)
})
