import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { seededRandom } from '../../../test/random.ts'
import { ApiError } from '../../core/errors.ts'
import { generatedPassword } from '../../core/password-strength/generated-password.ts'
import { allWords } from '../../core/password-strength/words.ts'
import { assertAcceptablePassword } from './rules.ts'

/**
 * The entries of 12 and more characters of the lists of @zxcvbn-ts/language-common 4.1.3 (MIT) and of
 * Django 3.2.25 and 5.2.17 (BSD-3-Clause): src/core/password-strength/breached/SOURCE.md.
 */
const common = readFileSync(
  join(import.meta.dirname, '../../../test/vectors/common-passwords-12.txt'),
  'utf8',
)
  .trimEnd()
  .split('\n')

const deps = { config: loadConfig({}), isBreached: async () => false }

async function isRefused(text: string): Promise<boolean> {
  const about = { field: 'password', username: 'margaret', email: 'peggy.s@example.org' }
  try {
    await assertAcceptablePassword({ text, ...about }, deps)
    return false
  } catch (error) {
    assert.ok(error instanceof ApiError && error.row === 'validationFailed')
    return true
  }
}

/** How many of the passwords are refused, and which ones are not. */
async function rateOf(passwords: readonly string[]) {
  const accepted: string[] = []
  for (const text of passwords) if (!(await isRefused(text))) accepted.push(text)
  return { refused: passwords.length - accepted.length, accepted }
}

const decorations: readonly (readonly [name: string, decorate: (text: string) => string])[] = [
  ['a capital first', (text) => text.charAt(0).toUpperCase() + text.slice(1)],
  ['capitals', (text) => text.toUpperCase()],
  ['a 1 behind it', (text) => `${text}1`],
  ['a ! behind it', (text) => `${text}!`],
  ['a 1 before it', (text) => `1${text}`],
  ['a ! before it', (text) => `!${text}`],
  ['blanks around it', (text) => ` ${text} `],
]

suite('5.6: the passwords of public lists', () => {
  test('457 of 457 are refused', async () =>
    assert.deepEqual(await rateOf(common), { refused: 457, accepted: [] }))

  for (const [name, decorate] of decorations) {
    test(`457 of 457 are refused with ${name}`, async () =>
      assert.deepEqual(await rateOf(common.map(decorate)), { refused: 457, accepted: [] }))
  }

  for (const text of [
    'familiyafamiliya!',
    ' imyaimyaimya ',
    ' asdfghjklhudson1 ',
    '0123456789101',
    '1020304050601',
    'xyzabfxyzabf1', // in no list
    '-asdfghjklkjh-',
  ]) {
    test(`"${text}" is refused`, async () => assert.equal(await isRefused(text), true))
  }
})

suite('5.6: passwords that are on no list', () => {
  const random = seededRandom(17)
  const words = allWords()
  const word = () => words[Buffer.from(random.bytes(4)).readUInt32BE() % words.length]
  const phrases = (separator: string) =>
    Array.from({ length: 2000 }, () => [word(), word(), word(), word()].join(separator))
  const digits = () => [...random.bytes(14)].map((byte) => byte % 10).join('')

  for (const [name, passwords] of [
    ['phrases of four words', phrases(' ')],
    ['phrases with numbers', phrases('-').map((phrase, index) => `${phrase}${index}`)],
    ['generated passwords', Array.from({ length: 2000 }, () => generatedPassword(random, 12))],
    ['numbers of 14 digits', Array.from({ length: 2000 }, digits)],
  ] as const) {
    test(`${name} pass`, async () => {
      const { refused, accepted } = await rateOf(passwords)
      assert.deepEqual([refused, accepted.length], [0, 2000])
    })
  }
})
