import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { bareForms, repeatedUnit, unleeted } from './bare-forms.ts'

suite('a password under its decoration', () => {
  for (const [password, word] of [
    ['sunshine2024!!', 'sunshine'],
    ['!!2024sunshine', 'sunshine'],
    ['--sunshine--', 'sunshine'],
    ['p@$$w0rd1234', 'password'],
    ['pa55w0rd....', 'password'],
    ['$un$h1ne####', 'sunshine'],
    ['1loveyou1234', 'iloveyou'],
    ['we1c0me-2024', 'welcome'],
    ['spitfir31234', 'spitfire'],
    ['h3ll0123456789', 'hello'],
    ['abc123!!!!!!', 'abc123'],
    ['!!!123456!!!', '123456'],
    ['marinamarina1', 'marina'],
    ['m0nk3ym0nk3y', 'monkey'],
    ['ПАРОЛЬ123456'.toLowerCase(), 'пароль'],
  ] as const) {
    test(`${password} is ${word}`, () => assert.ok(bareForms(password).has(word)))
  }

  test('words inside a sentence are not looked for', () => {
    const forms = bareForms('quiet melons roll uphill')
    for (const word of ['quiet', 'melons', 'uphill']) assert.equal(forms.has(word), false)
  })

  test('the longest password has few forms, and no letters are no trouble', () => {
    for (const text of [`${'1'.repeat(60)}word${'2'.repeat(64)}`, '🙂'.repeat(128), '', '!!!']) {
      assert.ok(bareForms(text).size < 1000)
    }
  })

  test('a 1 is an i or an l', () => assert.deepEqual(unleeted('1!'), ['ii', 'll']))
})

suite('one repeated piece', () => {
  for (const [text, unit] of [
    ['aaaaaaaaaaaa', 'a'],
    ['abcabcabcabc', 'abc'],
    ['abcabcabcab', 'abc'],
    ['passwordpassword', 'password'],
    ['😀🎈😀🎈😀', '😀🎈'],
    ['aaaaaaaaaaab', undefined],
    ['passwordpasswor', undefined], // less than twice
    ['', undefined],
    ['a', undefined],
  ] as const) {
    test(`${text} repeats ${unit}`, () => assert.equal(repeatedUnit(text), unit))
  }
})
