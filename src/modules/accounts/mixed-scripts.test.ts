import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mixesScripts } from './mixed-scripts.ts'

suite('the test of mixed scripts', () => {
  const single = [
    '',
    'ann',
    'o’neil-3.x_y@z 7',
    'josé',
    'jose\u0301',
    'straße',
    'åse',
    'аня', // Cyrillic
    'пётр-1',
    'ελένη',
    'משה',
    'فاطمة٣',
    'देवी',
    'สมชาย',
    '田中',
    'たなか',
    '田中ひろし',
    'タナカひろし田中',
    'スーパー', // the long sound is of Hiragana and Katakana, by its extensions
    '、。々', // of several scripts by their extensions alone
    '김철수',
    '金철수',
    'ㄅㄆ台北',
    '𓀀𓂀',
    '👩',
    '123',
    '\u{10d50}\u{10d51}', // Garay, of Unicode 16
  ]
  for (const text of single) {
    test(`${JSON.stringify(text)} is of one`, () => assert.equal(mixesScripts(text), false))
  }

  const mixed = [
    'аdmin', // the first letter is Cyrillic
    'admіn', // the fourth letter
    'ѕupport',
    'Ꭱoot',
    'αdmin',
    'adminع',
    'pаypаl',
    'ann田中',
    'annたなか',
    '田たなか김', // Chinese characters go with Kana, and with Hangul, and these two with one another not
    'たㄅ',
    'дε',
    'a、',
    'देवীন',
  ]
  for (const text of mixed) {
    test(`${JSON.stringify(text)} mixes them`, () => assert.equal(mixesScripts(text), true))
  }

  test('the scripts that are missing in the table are those of Unicode 16 and 17', () => {
    const newer = [
      'Berf',
      'Gara',
      'Gukh',
      'Krai',
      'Onao',
      'Sidt',
      'Sunu',
      'Tayo',
      'Todr',
      'Tols',
      'Tutg',
    ]
    const missing = new RegExp(`[${newer.map((code) => `\\p{scx=${code}}`).join('')}]`, 'u')
    const garay = '\u{10d50}'
    assert.equal(mixesScripts(garay), false)
    const different: string[] = []
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point)
      if (/[\p{Cn}\p{Co}\p{Cs}\p{scx=Zyyy}\p{scx=Zinh}]/u.test(character)) continue
      if (!missing.test(character) && !mixesScripts(character + garay)) {
        different.push(point.toString(16))
      }
    }
    assert.deepEqual(different, [])
  })
})
