import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { wordsFile } from '../password-strength/words.ts'
import { assertStrongPassphrase } from './passphrase.ts'

suite('a new passphrase', () => {
  const refusal = {
    message:
      'the passphrase could be guessed: it must have at least 70 bits, such as six words that dice ' +
      'choose from a list, or what `openssl rand -base64 16` prints',
  }

  for (const text of [
    'correct horse battery staple',
    'lamps harbour velvet tuba ocelot', // five words: 64 bits
    'lamps lamps lamps lamps lamps lamps',
    'passwordpassword1234',
    'qwertyuiopasdfgh',
    '123456789012345678901234567890',
    'r9iMKoe5CRMgvJBBtp4HrqN7QiPpUToj', // known
    'kx7#pq2!mz',
    'in the house by the sea',
  ]) {
    test(`${text} is refused`, () => {
      assert.throws(() => assertStrongPassphrase(text), refusal)
    })
  }

  for (const text of [
    'lamps harbour velvet tuba ocelot quarry',
    'LampsHarbourVelvetTubaOcelotQuarry',
    'lamps-harbour-velvet-tuba-ocelot-quarry',
    'correct horse battery staple velvet tuba',
    'kx7#pq2!mz9wTd4',
    'f47ac10b58cc4372a5670e02b2c3d479',
    '🔑🌂🎈🐌🍋🚲🧵🪁🎺🐙🧊🌵',
  ]) {
    test(`${text} passes`, () => assert.doesNotThrow(() => assertStrongPassphrase(text)))
  }

  test('of any six words passes, of any five of them none', () => {
    const words = readFileSync(wordsFile, 'utf8').split('\n')
    const random = seededRandom(11)
    const pick = () => words[Buffer.from(random.bytes(4)).readUInt32BE() % words.length] ?? ''
    for (let made = 0; made < 500; made += 1) {
      const six = Array.from({ length: 6 }, pick)
      assert.doesNotThrow(() => assertStrongPassphrase(six.join(' ')), six.join(' '))
      const five = six.slice(1).join(' ')
      assert.throws(() => assertStrongPassphrase(five), refusal, five)
    }
  })
})
