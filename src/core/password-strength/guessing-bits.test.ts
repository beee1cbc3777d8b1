import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { guessingBits } from './guessing-bits.ts'

suite('the bits of a text', () => {
  const atMost: readonly (readonly [text: string, bits: number])[] = [
    ['', 0],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 15],
    ['0123456789abcdefghijklmnopqrstuv', 20], // one count
    ['00112233445566778899aabbccddeeff', 25],
    ['000102030405060708090a0b0c0d0e0f', 25],
    ['a1b2c3d4e5f60718293a4b5c6d7e8f90', 52],
    ['qwertyuiopasdfghjklzxcvbnm,./', 100], // runs of keys
    ['lampharbourlampharbourlampharbour', 40], // a repetition
    ['2024-11-20 2023-10-19', 45], // dates
    ['lamp harbour velvet', 39], // three words of a list
    ['lamp-harbour_velvet', 39],
    ['LAMP Harbour velvet', 41], // by case two bits more
    ['l4mp h4rb0ur v3lv3t', 45], // by spelling
    ['it is on the way to us', 60], // function words
  ]
  for (const [text, bits] of atMost) {
    test(`${text || 'nothing'}: ${bits} at most`, () => {
      assert.ok(guessingBits(text).bits <= bits, String(guessingBits(text).bits))
    })
  }

  test('of what is chosen by chance they are those of the choice, or a little less', () => {
    for (const [text, bits] of [
      ['41908274350671829640', 66],
      ['9f86d081884c7d659a2feaa0c55ad015', 128],
      ['kzqvwmxjrtgypbnhfdlc', 94],
      ['Zq3vW9xKj2TmR7yP4bNh', 119],
      ['fq0Yk7Wn2vXc9RtLz4Hs8PbJm1Gd6TeU', 190],
    ] as const) {
      const { bits: found } = guessingBits(text)
      assert.ok(found <= bits + 1 && found >= bits * 0.8, `${text}: ${found}`)
    }
  })

  test('what is longer than needed is looked at in part, so that no length costs much', () => {
    assert.equal(guessingBits('z'.repeat(1_000_000)).bits, guessingBits('z'.repeat(256)).bits)
  })

  test('other scripts, signs of two units and lone surrogates have bits as well', () => {
    for (const text of ['пароль пароль', '🔑🌂🎈🐌🍋🚲🧵🪁', '\ud800\ud800x', 'ﬁne İstanbul ẞ']) {
      const { bits, share } = guessingBits(text)
      assert.ok(bits > 0 && bits < 200 && share > 0 && share <= 1, text)
    }
  })
})
