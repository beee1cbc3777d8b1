import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { canonicalUsername } from '../../core/lib/username.ts'
import { faultOfChosen, newUsername, reservedUsernames } from './new-username.ts'

const isUnseen = (text: string) => /[\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

suite('the name of a new account', () => {
  test('has no character that shows nothing; an existing one is found as before', () => {
    const unseen = [
      ...['\u3164', '\u115f', '\u1160', '\uffa0', '\u034f', '\ufe00', '\ufe0f', '\u17b4', '\u180b'],
      ...['\u2800', '\u{e0100}'],
    ]
    for (const point of unseen) {
      for (const name of [`admin${point}`, `${point}admin`, `ad${point}min`, point]) {
        assert.equal(newUsername(name), null, JSON.stringify(name))
        assert.notEqual(canonicalUsername(name), null, JSON.stringify(name))
      }
    }
  })

  test('is the canonical form of every other name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 10 }), (text) => {
        assert.equal(newUsername(text), isUnseen(text) ? null : canonicalUsername(text))
        assert.equal(isUnseen(newUsername(text) ?? ''), false)
      }),
      { numRuns: 2000 },
    )
  })
})

suite('a name that its owner chooses', () => {
  const config = { pages: { name: 'ACME Login' }, reservedUsernames: { here: [named('ceo')] } }
  const reserved = reservedUsernames(config)
  const faultOf = (text: string, proven: string | null = null) =>
    faultOfChosen(named(text), reserved, proven)

  test('is none of the reserved ones, in any spelling', () => {
    for (const text of [
      'root',
      'ROOT',
      ' Admin ',
      'ｓｙｓｔｅｍ',
      'Gatehouse',
      'acme LOGIN',
      'Ceo',
    ]) {
      assert.equal(faultOf(text), 'reserved', text)
    }
    for (const text of ['admin2', 'acme', 'support team', 'roots'])
      assert.equal(faultOf(text), null)
  })

  test('is no mail address but the proven one', () => {
    for (const text of ['ann@example.org', 'ANN＠Example.org', 'ann@xn--bcher-kva.example']) {
      assert.equal(faultOf(text), 'address', text)
      assert.equal(faultOf(text, 'other@example.org'), 'address', text)
    }
    assert.equal(faultOf('Ann@Example.org', 'ann@example.org'), null)
    assert.equal(faultOf('ann@BÜCHER.example', 'ann@xn--bcher-kva.example'), null)
    // Its canonical form is another address.
    assert.equal(faultOf('ann@straße.example', 'ann@xn--strae-oqa.example'), 'address')
    assert.equal(faultOf('ann@localhost'), null)
  })

  test('a name of the service that no username can be reserves nothing', () => {
    const { size } = reservedUsernames({ ...config, pages: { name: 'ACME: Login' } })
    assert.equal(size, reserved.size - 1)
  })
})

function named(text: string) {
  const name = newUsername(text)
  assert.ok(name)
  return name
}
